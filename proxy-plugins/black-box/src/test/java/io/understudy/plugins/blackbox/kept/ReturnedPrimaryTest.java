package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.history.Gtid;
import io.understudy.plugins.blackbox.history.Loss;
import io.understudy.plugins.blackbox.log.LogStart;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** MySQL: another server was the primary, and the one before comes back with the log that it had. */
class ReturnedPrimaryTest extends ResetHarness {
    private static final PrimaryFacts OTHER =
            new PrimaryFacts(ServerFlavor.MYSQL, 2, "4" + UUID.substring(1), true, "ROW", true, UUID + ":1-18");

    @BeforeEach
    void itWasGone() {
        flavor = ServerFlavor.MYSQL;
        box.onStart(at(18));
        box.onFormat(FORMAT);
        writes(19, 22);
        response(UUID + ":23");
        box.onGap(new BinlogTrouble(BinlogTrouble.Reason.CONNECTION, "dead"));
        box.onStart(OTHER);
        box.onFormat(FORMAT);
    }

    private static List<Long> numbers(Loss loss) {
        return loss.missing.stream().map(each -> each.gtid.number()).toList();
    }

    @Test
    void whatIsKeptIsNotReadAgain() {
        assertThat(box.withKept(at(23), UUID + ":1-18")).isEqualTo(UUID + ":1-22");
        assertThat(box.withKept(at(20), UUID + ":1-18")).as("begun anew").isEqualTo(UUID + ":1-18");
        assertThat(box.withKept(OTHER, UUID + ":1-18")).as("another server").isEqualTo(UUID + ":1-18");
        assertThat(box.withKept(at(23), null)).isNull();
        box.onStart(at(22));
        box.onFormat(FORMAT);
        writes(23, 24);
        Loss loss = box.loss(standby(18));
        assertThat(numbers(loss)).containsExactly(19L, 20L, 21L, 22L, 23L, 24L);
        assertThat(box.transactions()).isEqualTo(6);
        assertThat(loss.gaps).hasToString("");
    }

    @Test
    void theOkOfWhatItSendsNowIsJoined() {
        assertThat(box.loss(standby(18)).notCaptured.keySet())
                .extracting(Gtid::text)
                .containsExactly(UUID + ":23");
        box.onStart(at(22));
        box.onFormat(FORMAT);
        writes(23, 23);
        Loss loss = box.loss(standby(22));
        assertThat(loss.notCaptured).isEmpty();
        assertThat(loss.missing).singleElement().matches(each -> each.answered != null);
    }

    /** Its log tells where the second part began. */
    @Test
    void whatIsKeptIsNoGapAfterARestart() {
        RestoredLog log = box.restored(Clock.systemUTC());
        log.start(new LogStart(1, false, at(18), "", Map.of(), Map.of(), Set.of()));
        writes(19, 22);
        log.start(new LogStart(2, false, OTHER, "", Map.of(), Map.of(), Set.of()));
        log.start(new LogStart(3, false, at(22), "", Map.of(), Map.of(), Set.of()));
        Loss loss = box.loss(standby(18));
        assertThat(numbers(loss)).containsExactly(19L, 20L, 21L, 22L);
        assertThat(loss.gaps).hasToString("");
    }
}
