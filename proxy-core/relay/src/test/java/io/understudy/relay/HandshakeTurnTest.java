package io.understudy.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Channels of one thread, as those of an event loop; running their scheduled tasks once stands for a poll. */
class HandshakeTurnTest {
    private final List<Connection> connections = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private final HandshakeTurns turns = new HandshakeTurns(nanos::get);
    /** What each byte takes; a step that takes longer is the last one before the loop polls its sockets. */
    private long stepNanos = HandshakeTurns.NANOS_A_POLL;

    private final class Connection {
        private final Promise<Void> handshake = new DefaultPromise<>(ImmediateEventExecutor.INSTANCE);
        private boolean unread;
        private final EmbeddedChannel channel;

        Connection(boolean peerIsServer) {
            channel = new EmbeddedChannel(
                    new HandshakeTurn(turns, handshake, peerIsServer, on -> unread = on),
                    new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext ctx, Object msg) {
                            nanos.addAndGet(stepNanos);
                            ctx.fireChannelRead(msg);
                        }
                    });
        }

        void receive(int... octets) {
            for (int octet : octets) {
                // Unlike writeInbound, runs no tasks.
                channel.pipeline().fireChannelRead(Unpooled.buffer(1).writeByte(octet));
            }
        }

        List<Integer> handedOn() {
            List<Integer> octets = new ArrayList<>();
            ByteBuf bytes;
            while ((bytes = channel.readInbound()) != null) {
                octets.add((int) bytes.readByte());
                bytes.release();
            }
            return octets;
        }
    }

    private Connection connection() {
        return connection(false);
    }

    private Connection connection(boolean peerIsServer) {
        Connection connection = new Connection(peerIsServer);
        connections.add(connection);
        return connection;
    }

    /** Runs what is due on the loop after one poll of its sockets. */
    private void poll() {
        List<Connection> due = new ArrayList<>();
        for (Connection one : connections) {
            if (one.channel.hasPendingTasks()) {
                due.add(one);
            }
        }
        due.forEach(one -> one.channel.runScheduledPendingTasks());
    }

    @AfterEach
    void noTurnIsLeft() {
        for (int i = 0; i < 20; i++) {
            poll();
        }
        connections.forEach(one -> one.channel.finishAndReleaseAll());
    }

    @Test
    void oneHandshakeGoesOnBetweenTwoPolls() {
        for (int i = 0; i < 5; i++) {
            connection().receive(i);
        }
        for (int turn = 0; turn < 5; turn++) {
            for (int i = 0; i < 5; i++) {
                assertThat(connections.get(i).handedOn())
                        .as("connection %d in turn %d", i, turn)
                        .isEqualTo(i == turn ? List.of(i) : List.of());
            }
            poll();
        }
    }

    /** On a loop whose polls take long, a step a poll would limit logins. */
    @Test
    void handshakesGoOnUntilTheirTimeIsSpent() {
        stepNanos = HandshakeTurns.NANOS_A_POLL / 3 + 1;
        for (int i = 0; i < 8; i++) {
            connection().receive(i);
        }
        assertThat(haveGoneOn()).isEqualTo(3);
        poll();
        assertThat(haveGoneOn()).isEqualTo(6);
        poll();
        assertThat(haveGoneOn()).isEqualTo(8);
        assertThat(connections).noneMatch(one -> one.unread);
    }

    /** Sessions that keep the loop for long leave handshakes a share of it, within a limit. */
    @Test
    void handshakesGetAShareOfALoopThatIsBusy() {
        long most = HandshakeTurns.MOST_NANOS_A_POLL;
        stepNanos = most / 5;
        for (int i = 0; i < 13; i++) {
            connection().receive(i);
        }
        assertThat(haveGoneOn()).isEqualTo(2);
        nanos.addAndGet(3 * stepNanos * HandshakeTurns.SHARE);
        poll();
        assertThat(haveGoneOn()).isEqualTo(2 + 3);
        nanos.addAndGet(3 * most * HandshakeTurns.SHARE);
        poll();
        assertThat(haveGoneOn()).isEqualTo(5 + 5);
        poll();
        assertThat(haveGoneOn()).isEqualTo(10 + 2);
    }

    /** Bytes that are read while others wait go behind them, although time is left. */
    @Test
    void noneOvertakesThoseThatWait() {
        stepNanos = HandshakeTurns.NANOS_A_POLL / 2;
        for (int i = 0; i < 5; i++) {
            connection().receive(i);
        }
        poll();
        Connection late = connection();
        late.receive(5);
        assertThat(haveGoneOn()).isEqualTo(4);
        poll();
        assertThat(haveGoneOn()).isEqualTo(6);
    }

    private long haveGoneOn() {
        return connections.stream()
                .filter(one -> !one.channel.inboundMessages().isEmpty())
                .count();
    }

    @Test
    void aHandshakeThatHasBegunGoesFirst() {
        Connection begun = connection();
        begun.receive(1);
        Connection second = connection();
        second.receive(2);
        Connection third = connection();
        third.receive(3);
        begun.receive(4);
        assertThat(begun.handedOn()).containsExactly(1);
        poll();
        assertThat(begun.handedOn()).containsExactly(4);
        assertThat(second.handedOn()).isEmpty();
        poll();
        assertThat(second.handedOn()).containsExactly(2);
    }

    /** A client that sends its handshake octet by octet would keep new ones out. */
    @Test
    void handshakesThatHaveBegunKeepNoNewOneOut() {
        Connection trickling = connection();
        trickling.receive(1);
        Connection second = connection();
        second.receive(2);
        int polls = 0;
        while (second.handedOn().isEmpty() && polls < 20) {
            trickling.receive(1);
            poll();
            polls++;
        }
        assertThat(polls).isEqualTo(5);
    }

    @Test
    void theSocketIsLeftUnreadMeanwhile() {
        connection().receive(1);
        Connection waiting = connection();
        waiting.receive(2, 3);
        assertThat(waiting.unread).isTrue();
        poll();
        assertThat(waiting.handedOn()).containsExactly(2, 3);
        assertThat(waiting.unread).isFalse();
    }

    @Test
    void eventsStayBehindTheBytes() {
        connection().receive(1);
        Connection waiting = connection();
        List<Object> seen = new ArrayList<>();
        waiting.channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                seen.add("bytes");
                ctx.fireChannelRead(msg);
            }

            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                seen.add(event);
            }
        });
        waiting.receive(2);
        waiting.channel.pipeline().fireUserEventTriggered("end of input");
        assertThat(seen).isEmpty();
        poll();
        assertThat(seen).containsExactly("bytes", "end of input");
    }

    @Test
    void aConnectionThatHasClosedTakesNoTurn() {
        connection().receive(1);
        Connection closed = connection();
        ByteBuf bytes = Unpooled.buffer(1).writeByte(2);
        closed.channel.pipeline().fireChannelRead(bytes);
        Connection third = connection();
        third.receive(3);
        closed.channel.close();
        assertThat(bytes.refCnt()).isZero();
        poll();
        assertThat(third.handedOn()).containsExactly(3);
    }

    /** They may be the alert that says why. */
    @Test
    void whatAServerSentBeforeItsCloseIsHandedOn() {
        connection().receive(1);
        Connection closed = connection(true);
        closed.receive(2, 3);
        assertThat(closed.handedOn()).isEmpty();
        closed.channel.close();
        assertThat(closed.handedOn()).containsExactly(2, 3);
    }

    /** Decrypted bytes meet neither a queue nor another thread. */
    @Test
    void itLeavesThePipelineWithTheHandshake() {
        Connection one = connection();
        one.receive(1);
        one.handshake.setSuccess(null);
        assertThat(one.channel.pipeline().get(HandshakeTurn.class)).isNull();
        one.receive(2, 3);
        assertThat(one.handedOn()).containsExactly(1, 2, 3);
    }
}
