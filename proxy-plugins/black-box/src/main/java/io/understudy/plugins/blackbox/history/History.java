package io.understudy.plugins.blackbox.history;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.log.LogPlace;
import io.understudy.plugins.blackbox.log.LogStart;
import io.understudy.servers.GtidNumbers;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The transactions that one primary wrote: those retained, and the numbers of those that are not. Guarded by the lock
 * of its black box.
 */
public final class History {
    private static final int MOST_INTERRUPTED = 1_000;

    public final PrimaryFacts facts;
    public final ArrayDeque<KeptTransaction> kept = new ArrayDeque<>();
    public final Answers answers = new Answers();

    /** Sessions that ended before the response to a statement that may have committed. */
    final ArrayDeque<InterruptedSession> interrupted = new ArrayDeque<>();

    /** Whether the log, from which this was restored, passes over a transaction. */
    private boolean restoredGap;

    /** Grows with each history. */
    public final long number;

    private boolean anew;
    private final GtidNumbers seen = new GtidNumbers();
    private final GtidNumbers notKept = new GtidNumbers();
    /** MariaDB: the last transaction of each domain when the first stream began. */
    private List<Gtid> starts = List.of();
    /** Whether the first stream has begun. */
    private boolean begun;

    /** MariaDB: the primary's {@code gtid_binlog_state} when the last stream began. */
    private List<Gtid> logged = List.of();
    /** The history of the primary that followed this one. */
    private @Nullable History next;
    /** MariaDB: the number of the last transaction of each domain and server. */
    private final Map<Stream, Long> lasts = new LinkedHashMap<>();
    /** Estimated memory of those retained. */
    private long bytes;

    /** MariaDB: what gives numbers, each behind its last one. */
    private record Stream(long domain, long server) {
        private String gtid(long number) {
            return domain + "-" + server + "-" + number;
        }
    }

    /** @param anew whether the same server's numbers have begun anew */
    public History(long number, PrimaryFacts facts, boolean anew) {
        this.number = number;
        this.facts = facts;
        this.anew = anew;
    }

    public ServerFlavor flavor() {
        return facts.flavor();
    }

    private boolean mariadb() {
        return facts.flavor() == ServerFlavor.MARIADB;
    }

    /** Returns whether the transaction's GTID is of this primary. */
    public boolean isWriter(Gtid gtid) {
        return mariadb() ? gtid.server() == facts.serverId() : isOwn(gtid.source());
    }

    /** Returns whether a source of numbers is this primary: a domain may be anybody's. */
    boolean isOwn(String source) {
        String uuid = facts.serverUuid();
        return mariadb() || source.regionMatches(true, 0, uuid, 0, uuid.length());
    }

    /** Returns those of its numbers that this primary, or in a domain anybody, has given. */
    public GtidNumbers own(GtidNumbers all) {
        return all.of(this::isOwn);
    }

    /** Returns whether what is kept has transactions of this primary's own, and not only what it has replicated. */
    boolean wrote() {
        return kept.stream().anyMatch(each -> isWriter(each.gtid));
    }

    /** Returns whether its numbers denote other transactions than those of the history before it. */
    public boolean isAnew() {
        return anew;
    }

    /** Returns whether its numbers have begun anew, and nothing was written since, as far as it is known. */
    public boolean isUnused() {
        return anew && seen.isEmpty() && answers.unseen().isEmpty();
    }

    /** Called when numbers prove to have begun anew before it. */
    public void begunAnew() {
        anew = true;
    }

    /** Returns whether numbers began anew after this history. */
    public boolean isBeforeReset() {
        History later = next;
        return later != null && (later.anew || later.isBeforeReset());
    }

    /** Returns what is read so far. */
    public Reach reach(long nanos) {
        GtidNumbers last = new GtidNumbers();
        GtidNumbers own = new GtidNumbers();
        if (!mariadb()) {
            last.addAll(seen);
            own.addAll(seen);
        }
        lasts.forEach((stream, number) -> {
            last.add(Gtid.source(stream.domain), number);
            if (stream.server == facts.serverId()) {
                own.add(Gtid.source(stream.domain), 1, number);
            }
        });
        return new Reach(this, last, own, nanos);
    }

    /** Returns whether this primary now lacks what it has written: its numbers have begun anew. */
    public boolean isBehind(PrimaryFacts now) {
        return isBehind(reach(0), now);
    }

    /**
     * As {@link #isBehind(PrimaryFacts)}.
     *
     * @param before read before the primary was asked
     */
    public boolean isBehind(Reach before, PrimaryFacts now) {
        if (before.of() != this || !facts.sameServer(now)) {
            return false;
        }
        GtidNumbers written = written(now);
        GtidNumbers lacking = before.last().minus(written);
        // MariaDB may have been told to forget a domain: FLUSH BINARY LOGS DELETE_DOMAIN_ID.
        return !lacking.isEmpty()
                && (!mariadb()
                        || before.last().sources().stream().noneMatch(written.sources()::contains)
                        || lacking.sources().stream().anyMatch(written.sources()::contains));
    }

    /** Returns the numbers of the transactions that a server has, and of those in progress. */
    public static GtidNumbers written(PrimaryFacts server) {
        GtidNumbers written = GtidNumbers.upTo(server.flavor(), server.position());
        if (server.flavor() == ServerFlavor.MYSQL) {
            written.addAll(GtidNumbers.ofMySql(server.logged()));
        } else {
            // The position has the last one of each domain, which may be a replayed one with a lower number.
            Gtid.mariaDbPosition(server.logged()).forEach(each -> written.add(each.source(), 1, each.number()));
        }
        return written;
    }

    /**
     * MariaDB: returns whether this server has a transaction of another one that is unknown here: that one was the
     * primary since, and this one may have been built anew from it.
     *
     * @param has GTIDs that it has
     */
    public boolean isFollowed(List<Gtid> has) {
        return mariadb()
                && has.stream().anyMatch(each -> each.server() != facts.serverId() && each.number() > lastKnown(each));
    }

    /** Returns the number up to which this history, or what was before it, has the transactions of a server. */
    private long lastKnown(Gtid of) {
        long last = last(of);
        for (Gtid each : starts) {
            last = each.domain() == of.domain() ? Math.max(last, each.number()) : last;
        }
        for (Gtid each : logged) {
            boolean its = each.domain() == of.domain() && each.server() == of.server();
            last = its ? Math.max(last, each.number()) : last;
        }
        return last;
    }

    /** Called when another primary has followed this one; with null if that one is left out. */
    void followedBy(@Nullable History later) {
        next = later;
    }

    /** Called when a stream begins: unseen transactions up to its position have no events here. */
    public void streamAt(PrimaryFacts now) {
        if (mariadb()) {
            List<Gtid> position = Gtid.mariaDbPosition(now.position());
            position.forEach(this::note);
            starts = begun ? starts : position;
            logged = Gtid.mariaDbPosition(now.logged());
        }
        begun = true;
        GtidNumbers upTo = GtidNumbers.upTo(flavor(), now.position());
        notKept.addAll(upTo.minus(seen));
        seen.addAll(upTo);
    }

    /** Returns the present position, as the log has it. */
    public LogStart start() {
        String position = mariadb()
                ? lasts.entrySet().stream()
                        .map(each -> each.getKey().gtid(each.getValue()))
                        .collect(Collectors.joining(","))
                : seen.toString();
        PrimaryFacts now = new PrimaryFacts(
                facts.flavor(),
                facts.serverId(),
                facts.serverUuid(),
                facts.logBin(),
                facts.format(),
                facts.gtids(),
                position,
                text(logged));
        return new LogStart(number, anew, now, text(starts), Map.of(), Map.of(), Set.of());
    }

    private static String text(List<Gtid> position) {
        return position.stream().map(Gtid::text).collect(Collectors.joining(","));
    }

    /** Called when a segment of the log begins. */
    public void restore(LogStart start) {
        starts = begun ? starts : Gtid.mariaDbPosition(start.began());
        begun = true;
        anew |= start.anew();
        streamAt(start.facts());
    }

    /**
     * Called for a transaction behind damage of the log: those of its source before it are a gap if they are unknown.
     */
    public void gapBefore(Gtid gtid) {
        long known = seen.lastUpTo(gtid.source(), gtid.number() - 1);
        notKept.add(gtid.source(), known + 1, gtid.number() - 1);
        seen.add(gtid.source(), known + 1, gtid.number() - 1);
    }

    /** Called when a transaction has arrived. */
    public void passed(Gtid gtid) {
        seen.add(gtid.source(), gtid.number());
        note(gtid);
    }

    private void note(Gtid gtid) {
        if (mariadb()) {
            lasts.merge(new Stream(gtid.domain(), gtid.server()), gtid.number(), Math::max);
        }
    }

    /** MariaDB: returns the number of the last transaction of the same domain and server; 0 if there is none. */
    private long last(Gtid of) {
        return lasts.getOrDefault(new Stream(of.domain(), of.server()), 0L);
    }

    /** Returns the last transaction that was read: of each domain on MariaDB, all of them on MySQL. */
    public String readUpTo() {
        if (!mariadb()) {
            return seen.toString();
        }
        Map<Long, Stream> newest = new TreeMap<>();
        lasts.forEach((stream, number) -> newest.merge(
                stream.domain, stream, (one, other) -> number > Objects.requireNonNull(lasts.get(one)) ? other : one));
        return newest.values().stream()
                .map(each -> each.gtid(Objects.requireNonNull(lasts.get(each))))
                .collect(Collectors.joining(","));
    }

    /** Returns whether everything up to this position of the primary has arrived. */
    public boolean hasReached(String position) {
        if (!mariadb()) {
            return GtidNumbers.ofMySql(position).minus(seen).isEmpty();
        }
        Map<String, Long> highest = highest();
        return Gtid.mariaDbPosition(position).stream()
                .allMatch(gtid -> highest.getOrDefault(gtid.source(), 0L) >= gtid.number());
    }

    /** MariaDB: returns the highest number in the binary log, by source. */
    Map<String, Long> highest() {
        Map<String, Long> highest = new HashMap<>();
        lasts.forEach((stream, number) -> highest.merge(Gtid.source(stream.domain), number, Math::max));
        return highest;
    }

    /** MariaDB: returns whether this primary wrote the transaction or replicated it. */
    private boolean holds(Gtid gtid) {
        return gtid.number() <= last(gtid);
    }

    /**
     * MariaDB: returns whether the transaction is or may be of this history: this primary may have written it since.
     */
    boolean ahead(Gtid gtid) {
        return gtid.server() == facts.serverId() || holds(gtid);
    }

    /**
     * MariaDB: returns the number up to which a server at {@code known} has this history's part of that domain; 0 for
     * none. A server that is further than the beginning of a later primary has what that primary began with. One that
     * has a transaction of a server has all that was logged before, as has this primary: both replicated the same log,
     * or one of them wrote it.
     */
    public long reach(Gtid known) {
        if (ahead(known)) {
            return known.number();
        }
        long reach = 0;
        for (Gtid each : logged) {
            if (each.domain() == known.domain() && each.server() == known.server()) {
                reach = Math.min(each.number(), known.number());
            }
        }
        if (next == null) {
            return reach;
        }
        long later = next.reach(known);
        for (Gtid start : next.starts) {
            if (start.domain() == known.domain() && start.number() <= later && ahead(start)) {
                reach = Math.max(reach, start.number());
            }
        }
        return reach;
    }

    /** MariaDB: returns the numbers up to which a later primary's log is the same as this one. */
    GtidNumbers sharedWith(History later) {
        GtidNumbers shared = new GtidNumbers();
        later.starts.stream().filter(this::ahead).forEach(each -> shared.add(each.source(), 1, each.number()));
        return shared;
    }

    /** Returns the transactions known to exist. */
    public GtidNumbers seen() {
        return seen;
    }

    /** Returns a copy of the same, with those that were answered alone. */
    public GtidNumbers known() {
        GtidNumbers known = new GtidNumbers();
        known.addAll(seen);
        answers.unseen()
                .keySet()
                .forEach(
                        text -> Gtid.parseAll(flavor(), text).forEach(each -> known.add(each.source(), each.number())));
        return known;
    }

    /** Returns the transactions whose events are retained. */
    public GtidNumbers keptNumbers() {
        GtidNumbers numbers = new GtidNumbers();
        kept.forEach(each -> numbers.add(each.gtid.source(), each.gtid.number()));
        return numbers;
    }

    /** Called when the log from which it is restored passes over a transaction that some standby may lack. */
    public void restoredGap() {
        restoredGap = true;
    }

    /** Returns whether the log from which it was restored passes over a transaction that some standby may lack. */
    public boolean hasRestoredGap() {
        return restoredGap;
    }

    /** Returns the transactions whose events are not retained: never received, dropped, or released. */
    public GtidNumbers notKept() {
        return notKept;
    }

    /** Retains a transaction. */
    public void keep(KeptTransaction transaction) {
        kept.add(transaction);
        bytes += transaction.memory();
        answers.arrived(transaction);
    }

    /** Called when the log has a transaction. */
    public void stored(KeptTransaction transaction, LogPlace place) {
        boolean counts = !transaction.isDropped();
        bytes -= counts ? transaction.memory() : 0;
        transaction.stored(place);
        bytes += counts ? transaction.memory() : 0;
    }

    /** Called when a transaction has arrived that is not kept. */
    public void missed(Gtid gtid) {
        notKept.add(gtid.source(), gtid.number());
        answers.missed(gtid);
    }

    /** Drops the oldest transaction. Returns false if there is none. */
    boolean dropOldest() {
        KeptTransaction oldest = kept.poll();
        if (oldest == null) {
            return false;
        }
        oldest.drop();
        bytes -= oldest.memory();
        notKept.add(oldest.gtid.source(), oldest.gtid.number());
        answers.released(oldest);
        return true;
    }

    /** Drops all transactions, because the history itself is no longer needed. */
    void dropAll() {
        kept.forEach(KeptTransaction::drop);
        kept.clear();
        bytes = 0;
    }

    public void interrupted(InterruptedSession session) {
        interrupted.add(session);
        if (interrupted.size() > MOST_INTERRUPTED) {
            interrupted.remove();
        }
    }

    public void answered(Gtid gtid, AnsweredCommit how) {
        answers.answered(gtid, how, seen.contains(gtid.source(), gtid.number()));
    }

    /** Forgets OKs and events that have waited for a partner since before {@code nanos}, and sessions that ended. */
    public void expire(long nanos) {
        answers.expire(nanos);
        while (!interrupted.isEmpty() && interrupted.peek().nanos() - nanos < 0) {
            interrupted.remove();
        }
    }

    long bytes() {
        return bytes;
    }
}
