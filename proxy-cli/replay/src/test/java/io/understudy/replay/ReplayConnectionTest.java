package io.understudy.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;
import io.understudy.config.ServerTlsMode;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import io.understudy.replay.ReplayConnection.DueStatement;
import io.understudy.replay.log.LogEvent;
import io.understudy.testkit.FakeExchange;
import io.understudy.testkit.Fakes;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ReplayConnectionTest {
    private static final ReplayOptions OPTIONS = new ReplayOptions(
            Address.parse("standby:3306"),
            "player",
            Secret.parse(""),
            new ServerTlsConfig(ServerTlsMode.DISABLED, null, null, null),
            1,
            new LogFilter(false, Long.MIN_VALUE, Long.MAX_VALUE, null, null),
            8);
    private static final LogEvent WRITE = new LogEvent(
            LogEvent.Kind.STATEMENT,
            7,
            "app",
            null,
            "DELETE FROM t".getBytes(StandardCharsets.UTF_8),
            0,
            0,
            1,
            null,
            null,
            null,
            null);

    private final DefaultEventExecutor loop = new DefaultEventExecutor();
    private final List<String> sent = new CopyOnWriteArrayList<>();

    @AfterEach
    void end() {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private ServerConnection target() {
        Fakes.Result responds = arguments -> {
            ByteBuf command = (ByteBuf) arguments[0];
            String text = command.toString(5, command.readableBytes() - 5, StandardCharsets.UTF_8);
            command.release();
            sent.add(text);
            ((ServerResponse) arguments[1]).onResponse(FakeExchange.to(text), -1);
            return null;
        };
        return Fakes.of(
                ServerConnection.class,
                Map.of("execute", responds, "alloc", UnpooledByteBufAllocator.DEFAULT, "isOpen", true));
    }

    /** The target may be promoted while a write waits for the file that has it in flight. */
    @Test
    void aStatementIsNotSentAfterAStopWhileItWaitedForTheCheckpoint(@TempDir Path folder) throws Exception {
        Path path = folder.resolve("replay.ckpt");
        AtomicBoolean stopped = new AtomicBoolean();
        try (CheckpointLock lock = CheckpointLock.take(path)) {
            CompletableFuture<Integer> over = new CompletableFuture<>();
            try (CheckpointFile file = CheckpointFile.begin(lock, "/captures", OPTIONS, null)) {
                Playing playing = new Playing(
                        false,
                        new PreparedBudget(),
                        new ReplayFigures(false),
                        file,
                        over::complete,
                        () -> stopped.get() || file.inFlight() > 0 && !stopped.getAndSet(true),
                        reason -> over.completeExceptionally(new AssertionError(reason)));
                ReplayConnection connection = new ReplayConnection(
                        loop, () -> CompletableFuture.completedFuture(target()), List.of(), playing, ended -> {});
                long position = file.read(WRITE);
                file.handed(WRITE.threadId(), position);
                connection.add(new DueStatement(WRITE, position, System.nanoTime(), 1));
                assertThat(over.get(30, TimeUnit.SECONDS)).isEqualTo(1);
            }
            assertThat(sent).isNotEmpty().doesNotContain("DELETE FROM t");
            // --resume plays it, and does not take its outcome for unknown.
            assertThat(Checkpoint.read(path, Checkpoint.Subject.of("/captures", OPTIONS))
                            .sessions())
                    .containsEntry(7L, new Checkpoint.Session(1, 0, 0));
        }
    }
}
