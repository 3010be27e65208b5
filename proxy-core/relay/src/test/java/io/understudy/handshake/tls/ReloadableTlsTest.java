package io.understudy.handshake.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReloadableTlsTest {
    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
    }

    private static ByteBuf sentBy(EmbeddedChannel channel) {
        ByteBuf all = Unpooled.buffer();
        ByteBuf part;
        while ((part = channel.readOutbound()) != null) {
            all.writeBytes(part);
            part.release();
        }
        return all;
    }

    /** A fatal alert in the same read as a server's last bytes, as OpenSSL sends one behind a client's FIN. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void whatIsAheadOfAnAlertArrives(String version) throws Exception {
        assumeTrue(OpenSsl.isAvailable());
        X509Bundle certificate = new CertificateBuilder()
                .ecp256()
                .subject("CN=server")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        SslHandler serverTls = SslContextBuilder.forServer(certificate.toKeyManagerFactory())
                .sslProvider(SslProvider.OPENSSL)
                .protocols(version)
                .build()
                .newHandler(ByteBufAllocator.DEFAULT);
        SslHandler tls = ReloadableTls.connecting(
                        SslContextBuilder.forClient()
                                .sslProvider(SslProvider.OPENSSL)
                                .protocols(version)
                                .trustManager(InsecureTrustManagerFactory.INSTANCE)
                                .endpointIdentificationAlgorithm(null)
                                .build(),
                        () -> null)
                .newHandler(ByteBufAllocator.DEFAULT);
        EmbeddedChannel server = new EmbeddedChannel(serverTls, new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                assertThat(cause).isInstanceOf(DecoderException.class);
            }
        });
        EmbeddedChannel proxy = new EmbeddedChannel(tls);
        for (int i = 0; i < 10; i++) {
            server.writeInbound(sentBy(proxy));
            proxy.writeInbound(sentBy(server));
        }
        assertThat(tls.handshakeFuture().isSuccess()).isTrue();
        assertThat(serverTls.handshakeFuture().isSuccess()).isTrue();

        server.writeOutbound(text("the first response"), text("the last one"));
        ByteBuf sent = sentBy(server);
        // The server cannot decrypt this record, and says so with a fatal alert.
        server.pipeline()
                .fireChannelRead(Unpooled.buffer()
                        .writeByte(23)
                        .writeShort(0x0303)
                        .writeShort(40)
                        .writeZero(40));
        server.pipeline().flush();
        ByteBuf alert = sentBy(server);
        assertThat(alert.readableBytes()).isPositive();
        assertThatThrownBy(() -> proxy.writeInbound(Unpooled.wrappedBuffer(sent, alert)))
                .isInstanceOf(DecoderException.class);
        StringBuilder received = new StringBuilder();
        ByteBuf part;
        while ((part = proxy.readInbound()) != null) {
            received.append(part.toString(StandardCharsets.US_ASCII));
            part.release();
        }
        assertThat(received.toString()).isEqualTo("the first responsethe last one");
        server.finishAndReleaseAll();
        proxy.finishAndReleaseAll();
    }
}
