package io.understudy.plugins.gtiddomain.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.understudy.plugin.LatencyRecorder;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerConnector;
import io.understudy.plugin.ServerResponse;
import io.understudy.plugin.Standby;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.binlog.Transactions;
import io.understudy.testkit.FakeExchange;
import io.understudy.testkit.Fakes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.Test;

/** The test decides when responses come and which time it is. */
class AppliedTimesTest {
    private static final long MILLISECOND = 1_000_000L;

    private final List<String> queries = new ArrayList<>();
    private final List<String> recorded = new ArrayList<>();
    private final Queue<ServerResponse> pending = new ArrayDeque<>();
    private final Queue<Runnable> later = new ArrayDeque<>();
    private final List<Long> pauses = new ArrayList<>();
    private final DomainIndexes indexes = new DomainIndexes(0);
    private int connects;
    private boolean refusing;
    private boolean open = true;
    private long now;

    private AppliedTimes times() {
        ScheduledExecutorService loop =
                Fakes.of(ScheduledExecutorService.class, (proxy, method, arguments) -> switch (method.getName()) {
                    case "schedule" -> {
                        pauses.add((Long) arguments[1] / MILLISECOND);
                        later.add((Runnable) arguments[0]);
                        yield null;
                    }
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        ServerConnection connection =
                Fakes.of(ServerConnection.class, (proxy, method, arguments) -> switch (method.getName()) {
                    case "isOpen" -> open;
                    case "loop" -> loop;
                    case "alloc" -> (ByteBufAllocator) UnpooledByteBufAllocator.DEFAULT;
                    case "execute" -> {
                        ByteBuf command = (ByteBuf) arguments[0];
                        assertThat(command.getMediumLE(0)).isEqualTo(command.readableBytes() - 4);
                        queries.add(command.toString(5, command.readableBytes() - 5, StandardCharsets.UTF_8));
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
        Standby standby = Fakes.of(Standby.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "name" -> "s1";
            case "connector" -> connector;
            case "isPrimary" -> false;
            default -> throw new UnsupportedOperationException(method.getName());
        });
        PluginContext context = Fakes.of(PluginContext.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "standbys" -> List.of(standby);
            case "latency" -> {
                String domain = ((String[]) arguments[2])[3];
                yield (LatencyRecorder) nanos -> recorded.add(domain + ":" + nanos / MILLISECOND);
            }
            default -> throw new UnsupportedOperationException(method.getName());
        });
        return new AppliedTimes(context, indexes, () -> now);
    }

    private void committed(AppliedTimes times, long domain, long sequence) {
        times.sample(Transactions.of(
                domain + "-1-" + sequence,
                TransactionKind.values()[0],
                domain,
                1,
                sequence,
                BinlogTransaction.NO_GROUP,
                100,
                now,
                Set.of(),
                true));
    }

    private void response(int errorCode) {
        pending.remove().onResponse(FakeExchange.to("").error(errorCode).rows(errorCode == 0 ? 1 : 0), -1);
    }

    private void notYet() {
        pending.remove().onResponse(FakeExchange.to(""), -1);
    }

    private static String query(String domain, int sequence) {
        return "SELECT 1 FROM DUAL WHERE SUBSTRING_INDEX(REGEXP_SUBSTR(CONCAT(',', @@GLOBAL.gtid_slave_pos), ',"
                + domain + "-[0-9]+-[0-9]+'), '-', -1) >= " + sequence;
    }

    @Test
    void theTimeIsFromTheArrivalInTheBinaryLogToTheStandbysResponse() {
        AppliedTimes times = times();
        committed(times, 0, 1); // only opens the connection: a login is no part of the time
        committed(times, 0, 2);
        now += 30 * MILLISECOND;
        response(0);

        assertThat(queries).containsExactly(query("0", 2));
        assertThat(recorded).containsExactly("0:30");
    }

    /** MariaDB crashes if gtid_slave_pos is set while a session waits for it. */
    @Test
    void noSessionWaitsOnTheStandby() {
        AppliedTimes times = times();
        committed(times, 0, 1);
        committed(times, 0, 2);
        for (int at : List.of(0, 80, 160_000)) {
            now = at * MILLISECOND;
            notYet();
            assertThat(pending).isEmpty();
            committed(times, 0, 3);
            assertThat(pending).as("still the same one").isEmpty();
            later.remove().run();
        }
        assertThat(pauses).containsExactly(1L, 10L, 1_000L);
        now += 1_000 * MILLISECOND;
        response(0);
        assertThat(queries).containsOnly(query("0", 2)).hasSize(4);
        assertThat(recorded).containsExactly("0:161000");
    }

    @Test
    void oneQueryAtATimeAndAPauseAfterIt() {
        AppliedTimes times = times();
        committed(times, 0, 1);
        committed(times, 0, 2);
        committed(times, 0, 3);
        assertThat(queries).hasSize(1);

        response(0);
        committed(times, 0, 4);
        assertThat(queries).hasSize(1);

        now += 51 * MILLISECOND;
        committed(times, 0, 5);
        assertThat(queries).hasSize(2).last().isEqualTo(query("0", 5));
    }

    @Test
    void aSlowDomainDoesNotHideAFastOneAndOtherDomainsAreNotMeasured() {
        indexes.assign(10);
        AppliedTimes times = times();
        committed(times, 0, 1);
        committed(times, 10, 1);
        committed(times, 77, 1);
        committed(times, 10, 2);
        committed(times, 0, 2);
        committed(times, 77, 2);
        pending.add(pending.remove()); // the query in domain 10 was sent first and stays open
        now += MILLISECOND;
        response(0);

        assertThat(queries).hasSize(2);
        assertThat(recorded).containsExactly("0:1");
    }

    @Test
    void anErrorOrATimeoutIsNotRecorded() {
        AppliedTimes times = times();
        committed(times, 0, 1);
        committed(times, 0, 2);
        response(1227);
        now += 60 * MILLISECOND;
        committed(times, 0, 3);
        now += 300_000 * MILLISECOND;
        notYet();

        assertThat(queries).hasSize(2);
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
    void aDomainAddedByAReloadIsMeasuredToo() {
        AppliedTimes times = times();
        indexes.assign(10);
        committed(times, 10, 1);
        assertThat(connects).isZero();

        times.register();
        committed(times, 10, 2);
        committed(times, 10, 3);

        assertThat(queries).containsExactly(query("10", 3));
    }

    @Test
    void nothingIsQueriedAfterClose() {
        AppliedTimes times = times();
        committed(times, 0, 1);
        times.close();
        committed(times, 0, 2);

        assertThat(open).isFalse();
        assertThat(queries).isEmpty();
    }
}
