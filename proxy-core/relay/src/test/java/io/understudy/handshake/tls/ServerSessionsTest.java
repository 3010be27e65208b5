package io.understudy.handshake.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.internal.tcnative.SSL;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.ReferenceCountUtil;
import io.understudy.handshake.tls.TlsContexts.Verification;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The TLS sessions that the proxy resumes with a server, here one with session tickets. */
class ServerSessionsTest {
    private enum Handshake {
        WHOLE,
        RESUMED,
        REFUSED
    }

    private static final InetSocketAddress ONE = InetSocketAddress.createUnresolved("one.example", 3306);

    @TempDir
    private Path folder;

    private final AtomicReference<InetSocketAddress> address = new AtomicReference<>(ONE);

    @BeforeEach
    void needsOpenSsl() {
        assumeTrue(OpenSsl.isAvailable());
    }

    private static X509Bundle certificate(String name) throws Exception {
        return new CertificateBuilder()
                .ecp256()
                .subject("CN=" + name)
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
    }

    private static SslContext server(X509Bundle certificate, String version) throws Exception {
        SslContext context = SslContextBuilder.forServer(certificate.toKeyManagerFactory())
                .sslProvider(SslProvider.OPENSSL)
                .protocols(version)
                .build();
        ((OpenSslSessionContext) context.sessionContext()).setTicketKeys();
        return context;
    }

    private SslContext trusting(X509Bundle authority) throws Exception {
        Path ca = Files.writeString(folder.resolve("ca.pem"), authority.getCertificatePEM());
        return TlsContexts.connecting(Verification.AUTHORITY, ca, null, null);
    }

    private static Handshake handshake(ReloadableTls tls, SslContext accepting) {
        SslHandler proxyEnd = tls.newHandler(ByteBufAllocator.DEFAULT);
        SslHandler serverEnd = accepting.newHandler(ByteBufAllocator.DEFAULT);
        EmbeddedChannel server = new EmbeddedChannel(serverEnd, new Swallowing());
        EmbeddedChannel proxy = new EmbeddedChannel(proxyEnd, new Swallowing());
        try {
            for (int i = 0; i < 10; i++) {
                pass(proxy, server);
                pass(server, proxy);
            }
            if (!proxyEnd.handshakeFuture().isSuccess()) {
                return Handshake.REFUSED;
            }
            // BoringSSL's server sends its tickets of TLS 1.3 with its first data.
            server.writeOutbound(Unpooled.buffer().writeByte(0));
            pass(server, proxy);
            long ssl = ((ReferenceCountedOpenSslEngine) proxyEnd.engine()).sslPointer();
            return SSL.isSessionReused(ssl) ? Handshake.RESUMED : Handshake.WHOLE;
        } finally {
            proxy.finishAndReleaseAll();
            server.finishAndReleaseAll();
        }
    }

    private static void pass(EmbeddedChannel from, EmbeddedChannel to) {
        from.runPendingTasks();
        Object part;
        while ((part = from.readOutbound()) != null) {
            if (to.isOpen()) {
                to.writeInbound(part);
            } else {
                ReferenceCountUtil.release(part);
            }
        }
    }

    /** A refused certificate fails the handshake on either end. */
    private static final class Swallowing extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void eachConnectionResumesTheSessionOfTheOneBefore(String version) throws Exception {
        X509Bundle certificate = certificate("server");
        SslContext server = server(certificate, version);
        ReloadableTls tls = ReloadableTls.connecting(trusting(certificate), address::get);
        assertThat(handshake(tls, server)).isEqualTo(Handshake.WHOLE);
        for (int i = 0; i < 3; i++) {
            assertThat(handshake(tls, server)).isEqualTo(Handshake.RESUMED);
        }
    }

    /** The second name leads to the same server, which would resume the session if it were offered. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void anotherAddressIsNotOfferedTheSession(String version) throws Exception {
        X509Bundle certificate = certificate("server");
        SslContext server = server(certificate, version);
        ReloadableTls tls = ReloadableTls.connecting(trusting(certificate), address::get);
        assertThat(handshake(tls, server)).isEqualTo(Handshake.WHOLE);
        address.set(InetSocketAddress.createUnresolved("two.example", ONE.getPort()));
        assertThat(handshake(tls, server)).isEqualTo(Handshake.WHOLE);
        address.set(InetSocketAddress.createUnresolved(ONE.getHostString(), 3307));
        assertThat(handshake(tls, server)).isEqualTo(Handshake.WHOLE);
        address.set(ONE);
        assertThat(handshake(tls, server)).isEqualTo(Handshake.RESUMED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void newAuthoritiesRefuseAServerWhoseSessionIsKnown(String version) throws Exception {
        X509Bundle certificate = certificate("server");
        SslContext server = server(certificate, version);
        ReloadableTls tls = ReloadableTls.connecting(trusting(certificate), address::get);
        assertThat(handshake(tls, server)).isEqualTo(Handshake.WHOLE);
        assertThat(handshake(tls, server)).isEqualTo(Handshake.RESUMED);
        tls.replace(trusting(certificate("another")));
        assertThat(handshake(tls, server)).isEqualTo(Handshake.REFUSED);
        tls.replace(trusting(certificate));
        assertThat(handshake(tls, server)).isEqualTo(Handshake.WHOLE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void aServerThatDoesNotKnowTheSessionIsChecked(String version) throws Exception {
        X509Bundle certificate = certificate("server");
        ReloadableTls tls = ReloadableTls.connecting(trusting(certificate), address::get);
        assertThat(handshake(tls, server(certificate, version))).isEqualTo(Handshake.WHOLE);
        assertThat(handshake(tls, server(certificate("another"), version))).isEqualTo(Handshake.REFUSED);
    }
}
