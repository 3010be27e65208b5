package io.understudy.plugins.blackbox.outcome;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.Primary;
import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogDump;
import io.understudy.plugins.binlog.BinlogEnd;
import io.understudy.plugins.binlog.BinlogEvents;
import io.understudy.plugins.binlog.BinlogListener;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.BinlogTrouble;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.binlog.PrimaryQueries;
import io.understudy.plugins.binlog.SemiSyncReplica;
import io.understudy.servers.GtidNumbers;
import io.understudy.servers.MariaDbGtid;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Reads once, of the present primary's log, what was not read of another server's: the primary has replicated it, with
 * its numbers, and the same server and thread in it. Runs on the connection's event loop; the result is polled.
 */
final class UnreadLog implements BinlogListener, BinlogEvents, SemiSyncReplica, AutoCloseable {
    private final Traces traces;
    private final GtidNumbers wanted;
    private final PrimaryLook look;
    private final EventTokens tokens = new EventTokens();
    private final BinlogDump dump;
    private final GtidNumbers read = new GtidNumbers();
    /** All that is wanted; on MariaDB, whose numbers have holes, as far as the log has it. */
    private GtidNumbers logged;

    private @Nullable BinlogEnd idleAt;
    private volatile boolean ended;

    /** @param wanted of what the primary has */
    UnreadLog(
            Traces traces,
            GtidNumbers wanted,
            PrimaryLook look,
            Primary primary,
            PrimaryQueries queries,
            ScheduledExecutorService executor) {
        this.traces = traces;
        this.wanted = wanted;
        this.look = look;
        logged = wanted;
        dump = new BinlogDump(primary.connector(), queries, executor, this, this, this);
    }

    void start() {
        dump.start();
    }

    /** Returns whether it has come to an end, whatever that was. */
    boolean isEnded() {
        return ended;
    }

    @Override
    public void close() {
        dump.stop();
    }

    @Override
    public PrimaryFacts start(PrimaryFacts facts) {
        if (facts.flavor() == ServerFlavor.MARIADB) {
            logged = wanted.minus(wanted.minus(PrimaryLook.logged(facts)));
        }
        return facts.at(before(facts));
    }

    /** Returns the position in front of what is wanted, and behind all else that is there. */
    private String before(PrimaryFacts facts) {
        if (facts.flavor() != ServerFlavor.MARIADB) {
            return GtidNumbers.ofMySql(facts.position()).minus(wanted).toString();
        }
        Map<Long, String> position = new LinkedHashMap<>();
        MariaDbGtid.list(facts.position()).forEach(each -> position.put(each.domain(), each.toString()));
        wanted.forEach((source, ranges) -> {
            long first = ranges.get(0).first();
            long domain = Long.parseLong(source.substring(0, source.indexOf('-')));
            if (first > 1) {
                position.put(domain, source + "-" + (first - 1));
            } else {
                position.remove(domain); // from the begin of that domain
            }
        });
        return String.join(",", position.values());
    }

    /**
     * MySQL says so also behind what it leaves out: nothing more comes where it is said twice. What was replayed with
     * {@code sql_log_bin=0} the primary has without its log.
     */
    @Override
    public void idle(BinlogEnd end) {
        endIfRead();
        ended |= end.equals(idleAt);
        idleAt = end;
    }

    private void endIfRead() {
        if (!ended && isRead()) {
            traces.filled(logged);
            ended = true;
        }
    }

    private boolean isRead() {
        return look.facts().flavor() == ServerFlavor.MARIADB
                ? logged.sources().stream()
                        .allMatch(source -> read.contains(source, logged.lastUpTo(source, Long.MAX_VALUE)))
                : logged.minus(read).isEmpty();
    }

    @Override
    public void onFormat(byte[] event) {
        tokens.format(event);
    }

    @Override
    public void onEvent(ByteBuf buf, int index, int length, boolean first, boolean whole) {
        tokens.event(buf, index, length, first, whole);
    }

    @Override
    public void onTransaction(BinlogTransaction transaction) {
        traces.read(transaction, tokens.take());
        if (transaction.gtid() != null) {
            read.add(Traces.source(transaction), transaction.sequence());
            endIfRead(); // a primary that writes all the time is never idle
        }
    }

    @Override
    public void onStart(PrimaryFacts facts) {
        if (!look.server().equals(ServerIdentity.of(facts))) {
            ended = true;
        }
    }

    @Override
    public void onGap(BinlogTrouble trouble) {
        ended = true;
    }
}
