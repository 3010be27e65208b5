package io.understudy.plugins.blackbox.kept;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.TransactionKind;
import io.understudy.plugins.binlog.Transactions;
import io.understudy.plugins.blackbox.history.AnsweredCommit;
import io.understudy.plugins.blackbox.history.Applied;
import io.understudy.plugins.blackbox.history.Applied.MariaDbApplied;
import io.understudy.plugins.blackbox.history.KeptTransaction;
import io.understudy.plugins.blackbox.history.Loss;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.reset.Receivers.Receipt;
import io.understudy.servers.ReportedPosition;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/** A black box of 2 MiB with the events and responses that a test passes to it. */
abstract class BlackBoxHarness {
    /** Nothing is sent to a server. */
    static final Receipt STILL = new Receipt("[]", false, false);

    static final int MIB = 1 << 20;
    static final long MINUTE = 60_000_000_000L;
    static final byte[] FORMAT = "format".getBytes(StandardCharsets.US_ASCII);

    long now = 1_000_000_000_000L;
    final BlackBox box = new BlackBox(2 * MIB, true, () -> now);

    static PrimaryFacts primary(long server, String position) {
        return new PrimaryFacts(ServerFlavor.MARIADB, server, "", true, "ROW", true, position);
    }

    void start(long server, String position) {
        box.onStart(primary(server, position));
        box.onFormat(FORMAT);
    }

    /** Starts the stream of a primary with transactions of several servers in its binary log. */
    void start(long server, String position, String logged) {
        box.onStart(new PrimaryFacts(ServerFlavor.MARIADB, server, "", true, "ROW", true, position, logged));
        box.onFormat(FORMAT);
    }

    void event(String text, boolean first) {
        ByteBuf buf = Unpooled.copiedBuffer("??" + text, StandardCharsets.US_ASCII);
        box.onEvent(buf, 2, text.length(), first, true);
    }

    void commit(long domain, long server, long number) {
        box.onTransaction(write(domain, server, number));
    }

    BinlogTransaction write(long domain, long server, long number) {
        return Transactions.of(
                domain + "-" + server + "-" + number,
                TransactionKind.WRITE,
                domain,
                server,
                number,
                -1,
                0,
                now,
                Set.of(),
                false);
    }

    void transaction(long server, long number, String text) {
        event("g" + number, true);
        event(text, false);
        commit(0, server, number);
    }

    void transaction(long number) {
        transaction(1, number, ".");
    }

    static Applied at(String slavePos, String binlogState) {
        return new MariaDbApplied(slavePos, binlogState);
    }

    static Survivor survivor(String slavePos, String binlogState, String received) {
        return Survivor.of(
                "s1",
                ServerFlavor.MARIADB,
                new ReportedPosition(slavePos, binlogState, received, true, "host:3306:2"),
                "for the test");
    }

    Loss on(String slavePos) {
        return box.loss(survivor(slavePos, "", ""));
    }

    static List<String> gtids(List<KeptTransaction> transactions) {
        return transactions.stream().map(each -> each.gtid.text()).toList();
    }

    void response(String gtid) {
        box.answered(List.of(new AnsweredCommit(gtid, 7, 8, "app", "shop", 0x2aL, now, now, true, null)));
    }
}
