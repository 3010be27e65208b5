package io.understudy.plugins.gtiddomain;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.understudy.plugin.LatencyRecorder;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugin.Standby;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.TransactionKind;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Answers come when the test gives them, at the time that the test says. */
class AppliedTimesTest {
    private static final long MILLISECOND = 1_000_000L;

    private final List<String> asked = new ArrayList<>();
    private final List<String> recorded = new ArrayList<>();
    private final Queue<ServerResponse> pending = new ArrayDeque<>();
    private final DomainSlots slots = new DomainSlots(0);
    private int connects;
    private boolean refusing;
    private boolean open = true;
    private long now;

    @SuppressWarnings("unchecked")
    private static <T> T fake(Class<T> type, InvocationHandler handler) {
        return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private AppliedTimes times() {
        ServerConnection connection =
                fake(ServerConnection.class, (proxy, method, arguments) -> switch (method.getName()) {
                    case "isOpen" -> open;
                    case "alloc" -> (ByteBufAllocator) UnpooledByteBufAllocator.DEFAULT;
                    case "execute" -> {
                        ByteBuf command = (ByteBuf) arguments[0];
                        assertThat(command.getMediumLE(0)).isEqualTo(command.readableBytes() - 4);
                        asked.add(command.toString(5, command.readableBytes() - 5, StandardCharsets.UTF_8));
                        command.release();
                        pending.add((ServerResponse) arguments[1]);
                        yield null;
                    }
                    case "close" -> {
                        open = false;
                        yield null;
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        ServerConnector connector = () -> {
            connects++;
            return refusing
                    ? CompletableFuture.failedFuture(new IllegalStateException("refused"))
                    : CompletableFuture.completedFuture(connection);
        };
        Standby standby = fake(Standby.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "name" -> "s1";
            case "connector" -> connector;
            default -> throw new UnsupportedOperationException(method.getName());
        });
        PluginContext context = fake(PluginContext.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "standbys" -> List.of(standby);
            case "latency" -> {
                String domain = ((String[]) arguments[2])[3];
                yield (LatencyRecorder) nanos -> recorded.add(domain + ":" + nanos / MILLISECOND);
            }
            default -> throw new UnsupportedOperationException(method.getName());
        });
        return new AppliedTimes(context, slots, () -> now);
    }

    private void committed(AppliedTimes times, long domain, long sequence) {
        times.sample(new BinlogTransaction(
                domain + "-1-" + sequence,
                TransactionKind.values()[0],
                domain,
                1,
                sequence,
                BinlogTransaction.NO_GROUP,
                100,
                now,
                now,
                Set.of(),
                true,
                false));
    }

    private void response(int errorCode) {
        pending.remove()
                .onResponse(
                        fake(ResponseView.class, (proxy, method, arguments) -> switch (method.getName()) {
                            case "errorCode" -> errorCode;
                            default -> throw new UnsupportedOperationException(method.getName());
                        }),
                        -1);
    }

    @Test
    void theTimeIsFromTheArrivalInTheBinaryLogToTheStandbysAnswer() {
        AppliedTimes times = times();
        committed(times, 0, 1); // brings the connection only: a login is no part of the time
        committed(times, 0, 2);
        now += 30 * MILLISECOND;
        response(0);

        assertThat(asked).containsExactly("SELECT MASTER_GTID_WAIT('0-1-2', 300)");
        assertThat(recorded).containsExactly("0:30");
    }

    @Test
    void oneQuestionAtATimeAndAPauseAfterIt() {
        AppliedTimes times = times();
        committed(times, 0, 1);
        committed(times, 0, 2);
        committed(times, 0, 3);
        assertThat(asked).hasSize(1);

        response(0);
        committed(times, 0, 4);
        assertThat(asked).hasSize(1);

        now += 51 * MILLISECOND;
        committed(times, 0, 5);
        assertThat(asked).hasSize(2).last().asString().contains("0-1-5");
    }

    @Test
    void aSlowDomainDoesNotHideAQuickOneAndOthersAreNotAskedFor() {
        slots.assign(10);
        AppliedTimes times = times();
        committed(times, 0, 1);
        committed(times, 10, 1);
        committed(times, 77, 1);
        committed(times, 10, 2);
        committed(times, 0, 2);
        committed(times, 77, 2);
        pending.add(pending.remove()); // the one of domain 10 is asked first and stays open
        now += MILLISECOND;
        response(0);

        assertThat(asked).hasSize(2);
        assertThat(recorded).containsExactly("0:1");
    }

    @Test
    void anErrorOrAWaitThatEndedByItselfIsNoTime() {
        AppliedTimes times = times();
        committed(times, 0, 1);
        committed(times, 0, 2);
        response(1227);
        now += 60 * MILLISECOND;
        committed(times, 0, 3);
        now += 300_000 * MILLISECOND;
        response(0);

        assertThat(asked).hasSize(2);
        assertThat(recorded).isEmpty();
    }

    @Test
    void aStandbyThatIsGoneIsTriedAgainAfterAWhile() {
        refusing = true;
        AppliedTimes times = times();
        committed(times, 0, 1);
        committed(times, 0, 2);
        assertThat(connects).isEqualTo(1);

        now += 5_001 * MILLISECOND;
        refusing = false;
        committed(times, 0, 3);
        committed(times, 0, 4);
        assertThat(connects).isEqualTo(2);
        pending.remove().onFailure("connection lost");
        now += 5_001 * MILLISECOND;
        committed(times, 0, 5);

        assertThat(connects).isEqualTo(3);
        assertThat(recorded).isEmpty();
    }

    @Test
    void aDomainThatAReloadBringsIsMeasuredToo() {
        AppliedTimes times = times();
        slots.assign(10);
        committed(times, 10, 1);
        assertThat(connects).isZero();

        times.register();
        committed(times, 10, 2);
        committed(times, 10, 3);

        assertThat(asked).containsExactly("SELECT MASTER_GTID_WAIT('10-1-3', 300)");
    }

    @Test
    void nothingIsAskedAfterTheEnd() {
        AppliedTimes times = times();
        committed(times, 0, 1);
        times.close();
        committed(times, 0, 2);

        assertThat(open).isFalse();
        assertThat(asked).isEmpty();
    }
}
