package io.understudy.plugins.blackbox.kept;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.blackbox.log.LogException;
import io.understudy.plugins.blackbox.log.TransactionLog;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Where standbys stood at a reset, behind a restart of a proxy with a directory. */
class RestartedPositionsTest extends ResetHarness {
    private static final int SIZE = 64 * MIB;

    @TempDir
    private Path directory;

    private TransactionLog log;
    private LogQueue queue;

    @BeforeEach
    void open() throws LogException {
        log = TransactionLog.open(directory, SIZE, true, null, box.restored(Clock.systemUTC()));
        queue = new LogQueue(box, log, Clock.systemUTC(), () -> now);
        box.writeTo(queue);
    }

    @AfterEach
    void close() throws Exception {
        log.close();
    }

    private void restart() throws Exception {
        box.reach(List.of());
        while (queue.await(0)) {
            queue.write();
        }
        close();
        open();
        dies();
    }

    /** Of another process, which knows the log alone. */
    private Set<String> unknownBehindARestart() throws Exception {
        restart();
        log.close();
        BlackBox next = new BlackBox(2 * MIB, true, () -> now);
        TransactionLog.open(directory, SIZE, true, null, next.restored(Clock.systemUTC()))
                .close();
        open();
        return next.formerUnknown();
    }

    /** What it received afterwards in the meantime nobody has seen. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void whereAServerStoodOutlivesARestart(ServerFlavor product) throws Exception {
        begin(product);
        had(18);
        notices(0);
        writes(1, 3);
        restart();
        assertThat(box.standing(standby(18)).ofBefore()).as("not seen again").contains("is not known");
        seen(18);
        assertThat(box.standing(standby(18)).ofBefore()).contains("it lacked 2 of them");
        restart();
        sees(20, "[18]");
        assertThat(box.standing(standby(20)).ofBefore())
                .as("from its relay log")
                .contains("it had all of them");
        restart();
        seen(0);
        assertThat(box.standing(standby(0)).ofBefore()).as("reset").contains("it had all of them");
    }

    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void whatAServerDidDuringARestartIsNotKnown(ServerFlavor product) throws Exception {
        begin(product);
        had(18);
        notices(0);
        writes(1, 3);
        restart();
        seen(20);
        assertThat(box.standing(standby(20)).ofBefore())
                .as("it has received more")
                .contains("is not known");
    }

    /** With three resets, and the first steps done. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void whereAComparedServerStoodOutlivesARestart(ServerFlavor product) throws Exception {
        begin(product);
        had(20);
        notices(0);
        writes(1, 30);
        notices(0);
        writes(1, 2);
        dies();
        box.compared(standby(0), null, false);
        restart();
        seen(0);
        assertThat(box.standing(standby(0)).ofBefore()).contains("it lacked 30 of them");
        seen(10);
        assertThat(box.standing(standby(10)).ofBefore()).contains("it lacked 20 of them");
    }

    /** It was built anew while nobody looked, and has more of the new numbers than the log. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void whatAServerThatStoodFurtherHadIsNotKnown(ServerFlavor product) throws Exception {
        begin(product);
        had(20);
        notices(0);
        writes(1, 3);
        restart();
        seen(10);
        assertThat(rescue(10)).containsEntry("transactions", 0);
        assertThat(box.standing(standby(10)).ofBefore()).contains("is not known");
    }

    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void whatIsNotKnownOfAComparedServerOutlivesARestart(ServerFlavor product) throws Exception {
        begin(product);
        had(20);
        notices(0);
        writes(1, 3);
        box.compared(server("host:3306:3", 0), null, false);
        assertThat(box.formerUnknown().toString()).contains("its position was not seen then");
        assertThat(unknownBehindARestart().toString()).contains("its position was not seen then");
        box.presentPrimary(name -> true, () -> true);
        box.compared(server("host:3306:3", 3), null, false);
        assertThat(unknownBehindARestart()).isEmpty();
    }

    /** A new file of the log begins with what is known of servers, too. */
    @ParameterizedTest
    @EnumSource(ServerFlavor.class)
    void whatIsKnownOfServersOutlivesAFileOfTheLog(ServerFlavor product) throws Exception {
        begin(product);
        had(20);
        notices(0);
        seen(0);
        box.compared(standby(0), null, false);
        restart();
        writes(1, 3);
        restart();
        assertThat(box.isRenumbered(STANDBY)).isFalse();
    }
}
