package io.understudy.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.understudy.config.Address;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugin.ServerResponse;
import io.understudy.protocol.Capabilities;
import io.understudy.protocol.CommandCode;
import io.understudy.testkit.Fakes;
import io.understudy.testkit.Memory;
import io.understudy.wire.Packets;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A connection whose allocator throws an error, as Netty does without direct memory, or whose handlers throw. */
class ConnectionFaultsTest {
    private final Memory memory = Memory.heap();
    private final List<String> told = new ArrayList<>();
    private boolean lacking;
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final NettyServerConnection connection;

    ConnectionFaultsTest() {
        channel.config().setAllocator(Fakes.of(ByteBufAllocator.class, (proxy, method, arguments) -> {
            if (lacking) {
                throw new StackOverflowError("no direct memory");
            }
            try {
                return method.invoke(memory.alloc(), arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
        connection = new NettyServerConnection(
                channel, Address.parse("127.0.0.1:3306"), ServerFlavor.MARIADB, 77, Capabilities.PROTOCOL_41);
        channel.pipeline().addLast(connection);
    }

    @AfterEach
    void nothingLeaks() {
        channel.releaseOutbound();
        memory.assertAllReturned();
    }

    private void execute(String name) {
        ByteBuf command = Packets.command(memory.alloc(), CommandCode.QUERY, new byte[] {'x'});
        connection.execute(command, new ServerResponse() {
            @Override
            public void onResponse(ResponseView response, int preparedId) {
                told.add(name + " ok");
            }

            @Override
            public void onFailure(String reason) {
                told.add(name + " failed");
                if (name.equals("throwing")) {
                    throw new StackOverflowError("thrown by the test");
                }
            }
        });
    }

    /** Else the next response would be taken for that of the packet which was not sent. */
    @Test
    void aPacketThatCannotBeSentEndsTheConnection() {
        execute("first");
        channel.runPendingTasks();
        lacking = true;
        execute("second");
        channel.runPendingTasks();
        assertThat(told).containsExactly("first failed", "second failed");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aConnectionWithoutMemoryForItsQuitIsClosed() {
        execute("first");
        channel.runPendingTasks();
        lacking = true;
        connection.close();
        channel.runPendingTasks();
        assertThat(told).containsExactly("first failed");
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void anErrorOfOneHandlerDoesNotKeepTheEndFromTheNext() {
        execute("throwing");
        execute("second");
        connection.close();
        channel.runPendingTasks();
        assertThat(told).containsExactly("throwing failed", "second failed");
        assertThat(channel.isOpen()).isFalse();
    }
}
