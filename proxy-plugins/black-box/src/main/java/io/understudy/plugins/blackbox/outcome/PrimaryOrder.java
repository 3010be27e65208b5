package io.understudy.plugins.blackbox.outcome;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The servers that were the primary one after the other, to tell on which of them a session was. Thread-safe. */
public final class PrimaryOrder {
    /** Why what a server has written, and then was not the primary, is in doubt when it is that again. */
    public static final String BACK = "another server was the primary meanwhile, and this one may have been built anew";
    /** Longest login. */
    private static final long LOGIN_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** Time in which another server behind the same address is noticed. */
    private static final long NOTICE_NANOS = TimeUnit.SECONDS.toNanos(120);

    private static final int MOST = 1_000;

    private final LongSupplier nanoClock;
    private final List<Turn> turns = new ArrayList<>();

    private static final class Turn {
        private final long sinceNanos;
        /** Whether sessions went there from that time on, and not perhaps earlier. */
        private final boolean announced;

        private @Nullable ServerIdentity server;

        private Turn(long sinceNanos, boolean announced, @Nullable ServerIdentity server) {
            this.sinceNanos = sinceNanos;
            this.announced = announced;
            this.server = server;
        }
    }

    public PrimaryOrder(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        turns.add(new Turn(nanoClock.getAsLong(), true, null));
    }

    private Turn last() {
        return turns.get(turns.size() - 1);
    }

    /** Called when the proxy has followed to another primary. */
    public synchronized void changed() {
        add(new Turn(nanoClock.getAsLong(), true, null));
    }

    private void add(Turn next) {
        turns.add(next);
        if (turns.size() > MOST) {
            turns.remove(0);
        }
    }

    /** Returns a number that grows with each change. */
    synchronized long generation() {
        return last().sinceNanos;
    }

    /** Returns whether the present primary has had the time in which outcomes can become known. */
    boolean isOver(long nowNanos) {
        return nowNanos - generation() > OutcomeFinder.LONGEST_NANOS;
    }

    /** Called when the primary of a generation has said which server it is. Ignored if it is no longer the primary. */
    synchronized void identified(long generation, ServerIdentity server) {
        Turn last = last();
        if (last.sinceNanos != generation) {
            return;
        }
        if (last.server == null) {
            last.server = server;
        } else if (!last.server.equals(server)) {
            add(new Turn(nanoClock.getAsLong(), false, server));
        }
    }

    /** Returns whether the present primary has not said yet which server it is. */
    synchronized boolean isUnidentified() {
        return last().server == null;
    }

    /**
     * Returns whether the present primary has committed it, and has been the primary since.
     *
     * @param gtid empty if that is not known
     * @param sentNanos when a statement of the transaction was sent
     */
    synchronized boolean isOfPresent(String gtid, long sentNanos) {
        ServerIdentity present = last().server;
        return gtid.isEmpty()
                ? last().sinceNanos - sentNanos <= 0
                : present != null && present.wrote(gtid) && !isBack(sentNanos);
    }

    /** Returns whether another server was the primary since then, and no longer is. */
    synchronized boolean isBack(long sinceNanos) {
        Turn last = last();
        return turns.stream()
                .anyMatch(each -> each != last
                        && each.sinceNanos - sinceNanos > 0
                        && (last.server == null || !last.server.equals(each.server)));
    }

    /** Returns the servers on which the session may have been; empty if that is not known. */
    synchronized List<ServerIdentity> of(UnansweredStatement lost) {
        List<@Nullable ServerIdentity> possible = new ArrayList<>();
        for (int i = 0; i < turns.size(); i++) {
            Turn each = turns.get(i);
            long earliest = each.announced ? each.sinceNanos : each.sinceNanos - NOTICE_NANOS;
            boolean begun = i == 0 || lost.openedNanos() - earliest >= 0;
            boolean over = i + 1 < turns.size() && lost.openedNanos() - turns.get(i + 1).sinceNanos > LOGIN_NANOS;
            if (begun && !over && !possible.contains(each.server)) {
                possible.add(each.server);
            }
        }
        String gtid = lost.lastGtid();
        List<ServerIdentity> known = new ArrayList<>();
        for (ServerIdentity each : possible) {
            if (each != null) {
                known.add(each);
            }
        }
        if (gtid != null) {
            List<ServerIdentity> wrote =
                    known.stream().filter(each -> each.wrote(gtid)).toList();
            if (wrote.size() == 1 || gtid.indexOf(':') < 0) {
                return wrote; // MariaDB names the server in each GTID
            }
        }
        return known.size() == possible.size() ? known : List.of();
    }
}
