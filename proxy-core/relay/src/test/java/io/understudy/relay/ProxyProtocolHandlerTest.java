package io.understudy.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.understudy.base.Cidr;
import io.understudy.config.AcceptProxyProtocol;
import io.understudy.config.Address;
import io.understudy.config.Transport;
import io.understudy.connection.DescriptorShortage;
import io.understudy.connection.NetworkTransport;
import io.understudy.host.PluginHost;
import io.understudy.metrics.CoreMetrics;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.protocol.CommandCode;
import io.understudy.server.PrimaryAddress;
import io.understudy.server.PrimaryConnector;
import io.understudy.session.SessionEnvironment;
import io.understudy.session.SessionRegistry;
import io.understudy.sql.SqlAnalyzer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests mode {@code auto} with a manual clock. */
class ProxyProtocolHandlerTest {
    private static final String V1 = "PROXY TCP4 192.0.2.7 192.0.2.8 4000 3306\r\n";
    private static final String V2 =
            "\r\n\r\n\0\r\nQUIT\n\u0021\u0011\0\u000c\u00c0\0\u0002\u0007\u00c0\0\u0002\b\u000f\u00a0\u000c\u00ea";

    private static final class FromLoopback extends EmbeddedChannel {
        @Override
        protected SocketAddress remoteAddress0() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);
        }
    }

    private static final class Behind extends ChannelInboundHandlerAdapter {
        private boolean opened;

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            opened = true;
        }
    }

    private final Behind behind = new Behind();
    private final FromLoopback channel = new FromLoopback();

    ProxyProtocolHandlerTest() {
        CoreMetrics metrics = new CoreMetrics(new SimpleMeterRegistry(), new LatencyHistograms(), CommandCode::name);
        DescriptorShortage shortage = new DescriptorShortage(ImmediateEventExecutor.INSTANCE);
        RelayContext context = new RelayContext(
                new SessionRegistry(1),
                new SessionEnvironment(new PluginHost(metrics), metrics, new SqlAnalyzer(), 1024),
                new PrimaryConnector(
                        NetworkTransport.resolve(Transport.NIO),
                        new PrimaryAddress(Address.parse("127.0.0.1:1"), new SimpleMeterRegistry(), Clock.systemUTC()),
                        Duration.ofSeconds(1),
                        WriteBufferWaterMark.DEFAULT,
                        shortage),
                shortage,
                NoMoves.tools());
        channel.freezeTime();
        ProxyProtocolHandler.addTo(
                channel, AcceptProxyProtocol.AUTO, List.of(Cidr.parse("127.0.0.0/8")), context.environment());
        channel.pipeline().addLast(behind);
        channel.pipeline().fireChannelActive();
    }

    private void after(long millis) {
        channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
    }

    private static ByteBuf bytes(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1);
    }

    @Test
    void silenceCountsAsAMissingHeader() {
        after(249);
        assertThat(behind.opened).isFalse();
        after(2);
        assertThat(behind.opened).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 13})
    void anIncompleteHeaderIsAwaited(int cut) {
        for (String header : new String[] {V1, V2}) {
            ProxyProtocolHandlerTest one = new ProxyProtocolHandlerTest();
            one.channel.writeInbound(bytes(header.substring(0, cut)));
            one.after(9_000);
            assertThat(one.behind.opened).isFalse();
            one.channel.writeInbound(bytes(header.substring(cut)));
            assertThat(one.behind.opened).isTrue();
            assertThat(ProxyProtocolHandler.clientAddress(one.channel)).hasToString("/192.0.2.7:4000");
        }
    }

    @Test
    void aHeaderThatNeverEndsIsRefusedAfterTheHandshakeTimeout() {
        channel.writeInbound(bytes("PROXY TCP4 192.0.2.7"));
        after(9_999);
        assertThat(channel.isOpen()).isTrue();
        after(2);
        after(10_000);
        assertThat(behind.opened).isFalse();
        assertThat(channel.isOpen()).isFalse();
        ByteBuf error = channel.readOutbound();
        assertThat(error.toString(StandardCharsets.ISO_8859_1)).contains("was not complete");
        error.release();
    }

    @Test
    void aResetAheadOfAHeaderIsNoBadHeader() {
        channel.pipeline().fireExceptionCaught(new IOException("Connection reset by peer"));
        assertThat(channel.isOpen()).isFalse();
        assertThat((Object) channel.readOutbound()).isNull();
        assertThat(behind.opened).isFalse();
    }
}
