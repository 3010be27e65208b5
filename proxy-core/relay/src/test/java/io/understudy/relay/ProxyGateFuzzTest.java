package io.understudy.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
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
import io.understudy.fuzz.Corpus;
import io.understudy.fuzz.Fuzz;
import io.understudy.host.PluginHost;
import io.understudy.metrics.CoreMetrics;
import io.understudy.metrics.LatencyHistograms;
import io.understudy.protocol.CommandCode;
import io.understudy.server.PrimaryAddress;
import io.understudy.server.PrimaryConnector;
import io.understudy.session.SessionEnvironment;
import io.understudy.session.SessionRegistry;
import io.understudy.sql.SqlAnalyzer;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.wire.packet.ErrPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import org.junit.jupiter.api.Test;

/** A PROXY header is accepted and the rest passed on, or refused with an ERR packet, or still incomplete. */
class ProxyGateFuzzTest {
    private static final Corpus CORPUS = new Corpus("proxy");
    private static final AcceptProxyProtocol[] MODES = {
        AcceptProxyProtocol.V1, AcceptProxyProtocol.V2, AcceptProxyProtocol.AUTO
    };

    private static final RelayContext CONTEXT = context();

    private static RelayContext context() {
        CoreMetrics metrics = new CoreMetrics(new SimpleMeterRegistry(), new LatencyHistograms(), CommandCode::name);
        DescriptorShortage shortage = new DescriptorShortage(ImmediateEventExecutor.INSTANCE);
        PrimaryConnector nowhere = new PrimaryConnector(
                NetworkTransport.resolve(Transport.NIO),
                new PrimaryAddress(Address.parse("127.0.0.1:1"), new SimpleMeterRegistry(), Clock.systemUTC()),
                Duration.ofSeconds(1),
                WriteBufferWaterMark.DEFAULT,
                shortage);
        return new RelayContext(
                new SessionRegistry(1),
                new SessionEnvironment(new PluginHost(metrics), metrics, new SqlAnalyzer(), 1024),
                nowhere,
                shortage,
                NoMoves.tools());
    }

    @AfterContainer
    static void nothingLeaked() {
        assertThat(LeakCheck.collect()).isEmpty();
    }

    @Test
    void corpus() {
        Fuzz.corpus(CORPUS, ProxyGateFuzzTest::run);
    }

    @Property(shrinking = ShrinkingMode.OFF)
    void mutations(@ForAll long seed) {
        Fuzz.mutation(CORPUS, seed, ProxyGateFuzzTest::run);
    }

    /** The handler after the gate. */
    private static final class Behind extends ChannelInboundHandlerAdapter {
        private int opened;
        private int bytes;

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            opened++;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object msg) {
            bytes += ((ByteBuf) msg).readableBytes();
            ((ByteBuf) msg).release();
        }

        /** The remainder of a refused header is malformed too. */
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            assertThat(opened).isZero();
        }
    }

    private static final class FromLoopback extends EmbeddedChannel {
        @Override
        protected SocketAddress remoteAddress0() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);
        }
    }

    /** The first byte selects the accepted versions, the second selects the cuts. */
    private static void run(byte[] input) {
        AcceptProxyProtocol mode = MODES[(input.length > 0 ? input[0] & 0xFF : 0) % MODES.length];
        int cuts = input.length > 1 ? input[1] & 0xFF : 0;
        byte[] bytes = input.length > 2 ? Arrays.copyOfRange(input, 2, input.length) : new byte[0];
        Memory memory = Memory.heap();
        Behind behind = new Behind();
        FromLoopback channel = new FromLoopback();
        channel.config().setAllocator(memory.alloc());
        ProxyProtocolHandler.addTo(channel, mode, List.of(Cidr.parse("127.0.0.0/8")), CONTEXT.environment());
        channel.pipeline().addLast(behind);
        channel.pipeline().fireChannelActive();
        Random random = new Random(cuts);
        int at = 0;
        while (at < bytes.length && channel.isActive()) {
            int end = Math.min(bytes.length, at + 1 + random.nextInt(cuts + 1));
            channel.writeInbound(Bytes.buffer(memory.alloc(), Arrays.copyOfRange(bytes, at, end)));
            channel.runPendingTasks();
            at = end;
        }
        assertThat(behind.opened).isLessThanOrEqualTo(1);
        if (behind.opened == 0) {
            assertThat(behind.bytes).as("bytes that nobody is there for").isZero();
        }
        if (!channel.isActive()) {
            assertThat(behind.opened).as("refused and let in").isZero();
            ByteBuf said = channel.readOutbound();
            assertThat(said).as("an ERR packet ahead of the close").isNotNull();
            assertThat(ErrPacket.parse(said, 4, said.readableBytes() - 4).code())
                    .isEqualTo(1043);
            said.release();
        }
        channel.finishAndReleaseAll();
        // Removed handlers release the bytes that they held.
        channel.runPendingTasks();
        channel.releaseInbound();
        memory.assertAllReturned();
    }
}
