package io.understudy.plugins.commitlatency;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.TransactionKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ProcedureCommitsTest {
    private static final long MS = 1_000_000L;
    private static final long SECOND = 1_000 * MS;
    private static final long EXPIRE = 30 * SECOND;
    private static final String UUID = "3e11fa47-71ca-11e1-9e33-c80aa9429562";

    private final List<String> found = new ArrayList<>();
    private int unclear;
    private final ProcedureCommits procedures = new ProcedureCommits(EXPIRE, new ProcedureCommits.Out() {
        @Override
        public void found(ProcedureCall call, BinlogTransaction event, long sinceNanos) {
            found.add(call.digest() + " " + event.gtid() + " " + (event.lastNanos() - sinceNanos) / MS);
        }

        @Override
        public void unclear() {
            unclear++;
        }
    });

    ProcedureCommitsTest() {
        procedures.primary(1);
    }

    private static ProcedureCall call(String digest, long thread, long sentMillis) {
        return new ProcedureCall(1, thread, "app", "shop", digest, sentMillis * MS);
    }

    private void event(String gtid, long thread, long millis) {
        event(gtid, TransactionKind.WRITE, 1, thread, millis);
    }

    private void event(String gtid, TransactionKind kind, long server, long thread, long millis) {
        long at = millis * MS;
        procedures.unmatched(new BinlogTransaction(
                gtid, kind, 0, server, 1, -1, 100, at, true, Set.of(), true, false, null, 0, thread));
    }

    private void over() {
        procedures.expire(EXPIRE + 1_000 * SECOND);
    }

    @Test
    void theOnlyCallInFlightIsTheOwner() {
        ProcedureCall call = call("p", 7, 100);
        procedures.began(call);
        procedures.ended(call, 200 * MS, new ReportedGtids("0-1-9"));
        event("0-1-7", 0, 110);
        event("0-1-8", 0, 150);
        assertThat(found).as("the last is held back").containsExactly("p 0-1-7 10");
        over();
        assertThat(found).containsExactly("p 0-1-7 10", "p 0-1-8 40");
        assertThat(unclear).isZero();
    }

    @Test
    void aTransactionAfterTheReportedOneOrOfAnotherDomainIsNot() {
        ProcedureCall call = call("p", 7, 100);
        procedures.began(call);
        procedures.ended(call, 200 * MS, new ReportedGtids("0-1-9"));
        event("0-1-10", 0, 120);
        event("5-1-3", 0, 130);
        event("0-2-3", TransactionKind.WRITE, 2, 0, 140);
        over();
        assertThat(found).isEmpty();
    }

    @Test
    void theConnectionIdDecidesIfTheLogHasIt() {
        ProcedureCall one = call("p", 7, 100);
        ProcedureCall other = call("q", 8, 100);
        procedures.began(one);
        procedures.began(other);
        event("0-1-1", 9, 110);
        event("0-1-2", 8, 120);
        event("0-1-3", 7, 130);
        event("0-1-4", 7, 150);
        procedures.ended(one, 200 * MS, null);
        procedures.ended(other, 200 * MS, null);
        over();
        assertThat(found).containsExactlyInAnyOrder("p 0-1-3 30", "p 0-1-4 20", "q 0-1-2 20");
        assertThat(unclear).isZero();
    }

    @Test
    void betweenTwoCallsItIsUnclear() {
        procedures.began(call("p", 7, 100));
        procedures.began(call("q", 8, 100));
        event("0-1-1", 0, 110);
        assertThat(unclear).isEqualTo(1);
        procedures.finish();
        assertThat(found).isEmpty();
    }

    @Test
    void anotherWriterMakesItUnclearForAWhile() {
        event("0-1-1", 0, 50);
        ProcedureCall call = call("p", 7, 100);
        procedures.began(call);
        event("0-1-2", 0, 110);
        assertThat(unclear).isEqualTo(1);
        event("0-1-3", 0, 61_000);
        procedures.finish();
        assertThat(found).containsExactly("p 0-1-3 60900");
    }

    @Test
    void mySqlReportsAllOfThem() {
        ProcedureCall one = call("p", 7, 100);
        ProcedureCall other = call("q", 8, 100);
        event(UUID + ":1", 0, 50); // another writer
        procedures.began(one);
        procedures.began(other);
        procedures.ended(one, 200 * MS, new ReportedGtids(UUID + ":4-6"));
        procedures.ended(other, 200 * MS, new ReportedGtids(UUID + ":2:8"));
        event(UUID + ":2", 0, 110);
        event(UUID + ":3", 0, 120);
        event(UUID + ":4", 0, 130);
        event(UUID + ":5", 0, 140);
        over();
        assertThat(found)
                .containsExactlyInAnyOrder("q " + UUID + ":2 10", "p " + UUID + ":4 30", "p " + UUID + ":5 10");
        assertThat(unclear).isZero();
    }

    @Test
    void theLastOfALongCallIsTheOneThatItsResponseReports() {
        ProcedureCall call = call("p", 7, 100);
        procedures.began(call);
        event("0-1-1", 0, 110);
        event("0-1-2", 0, 120);
        procedures.ended(call, 90 * SECOND, new ReportedGtids("0-1-2"));
        over();
        assertThat(found).containsExactly("p 0-1-1 10");
    }

    @Test
    void preparedTransactionsAreNoCommits() {
        procedures.began(call("p", 7, 100));
        event("0-1-1", TransactionKind.XA_PREPARE, 1, 7, 110);
        procedures.finish();
        assertThat(found).isEmpty();
    }
}
