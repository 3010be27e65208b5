package io.understudy.plugins.blackbox.lost;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.history.AnsweredCommit;
import io.understudy.plugins.blackbox.history.Gtid;
import io.understudy.plugins.blackbox.history.InterruptedSession;
import io.understudy.plugins.blackbox.history.KeptTransaction;
import io.understudy.plugins.blackbox.history.Loss;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.kept.BlackBox;
import io.understudy.plugins.blackbox.kept.SessionEvents;
import io.understudy.plugins.blackbox.outcome.OutcomeRecord;
import io.understudy.plugins.blackbox.outcome.Outcomes;
import io.understudy.plugins.blackbox.reset.BuiltAnew.Standing;
import io.understudy.servers.GtidNumbers;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The view of {@code /api/lost}: a {@link Loss} with names and times. Contains no SQL text and no rows. */
public final class LostReport {
    public static final String NUMBERS = "numbers";
    static final String RENUMBERED = "renumbered";
    private static final String SPLIT = "split";

    /** Most transactions of each class that are listed one by one. */
    private static final int LISTED = 1_000;
    /** Most transactions whose bytes are read for their tables. */
    private static final int READ = 100_000;

    private final BlackBox box;
    private final SessionEvents sessionEvents;
    private final Outcomes outcomes;
    private final Supplier<@Nullable String> silence;
    private final Clock clock;
    private final LongSupplier nanoClock;
    private final Supplier<Map<String, Object>> witness;
    private final Supplier<@Nullable String> doubt;
    private final BooleanSupplier alive;

    /**
     * @param outcomes of statements whose responses never came
     * @param silence returns why the primary does not respond, although its stream is open; null if it does
     * @param witness the witness's view; empty if there is none
     * @param doubt returns what is not known once the primary is not read any more; null for nothing
     * @param alive returns whether the server whose log was read last is there, and still the primary
     */
    public LostReport(
            BlackBox box,
            SessionEvents sessionEvents,
            Outcomes outcomes,
            Supplier<@Nullable String> silence,
            Clock clock,
            LongSupplier nanoClock,
            Supplier<Map<String, Object>> witness,
            Supplier<@Nullable String> doubt,
            BooleanSupplier alive) {
        this.alive = alive;
        this.doubt = doubt;
        this.silence = silence;
        this.box = box;
        this.sessionEvents = sessionEvents;
        this.outcomes = outcomes;
        this.clock = clock;
        this.nanoClock = nanoClock;
        this.witness = witness;
    }

    /** Returns the report, and stores what it says is missing for the reports to come. */
    public Map<String, Object> of(Survivor survivor) {
        return of(survivor, true);
    }

    /** Notes that a server got transactions from another proxy's file; see {@link BlackBox#applied}. */
    public Map<String, Object> applied(Survivor survivor, String text) {
        GtidNumbers numbers = GtidNumbers.ofMySql(text);
        box.applied(survivor, numbers);
        return Map.of("transactions", numbers.count());
    }

    /**
     * Returns the report, of which nothing but the position stays: for a question that anybody may ask, and that may
     * come often.
     */
    public Map<String, Object> unrecorded(Survivor survivor) {
        return of(survivor, false);
    }

    private Map<String, Object> of(Survivor survivor, boolean recorded) {
        sessionEvents.run();
        Loss loss = box.loss(survivor);
        judged(loss);
        List<KeptTransaction> answered = new ArrayList<>();
        List<KeptTransaction> notAnswered = new ArrayList<>();
        GtidNumbers captured = new GtidNumbers();
        for (KeptTransaction each : loss.missing) {
            captured.add(each.gtid.source(), each.gtid.number());
            (each.answered != null ? answered : notAnswered).add(each);
        }
        Map<String, Object> view = new LinkedHashMap<>();
        Map<String, Object> primary = primary(loss);
        if (recorded && Boolean.FALSE.equals(primary.get("read"))) {
            box.reported(survivor, loss, false);
        }
        view.put("survivor", survivor(survivor));
        view.put("primary", primary);
        view.put("logs", logs(loss, Boolean.TRUE.equals(primary.get("read"))));
        Map<String, Object> missing = new LinkedHashMap<>();
        missing.put("count", answered.size() + loss.notCaptured.size() + loss.moreNotCaptured);
        missing.put("captured", answered.size());
        missing.put("notCaptured", loss.notCaptured.size() + loss.moreNotCaptured);
        List<Object> rows = rows(loss.notCaptured); // first, because no rescue file names them
        rows.addAll(rows(answered.subList(0, Math.min(LISTED - rows.size(), answered.size()))));
        missing.put("transactions", rows);
        missing.put("tables", tables(answered));
        view.put("answeredAndMissing", missing);
        view.put("answeredNumberUnknown", listed(loss.unsettled.size(), rows(loss.unsettled)));
        view.put("missingNotKnownAnswered", part(notAnswered));
        view.put("captured", numbers(captured));
        Map<String, Object> received = part(loss.received);
        received.put("known", survivor.received() != null);
        if (!loss.received.isEmpty()) {
            received.put(
                    "warning",
                    "these are in relay logs only: let " + survivor.name()
                            + " apply them (START SLAVE SQL_THREAD while its IO thread runs; on MySQL START REPLICA"
                            + " SQL_THREAD). Do not restart it, nor its replication (STOP SLAVE; START SLAVE; CHANGE"
                            + " MASTER): with GTID that throws the relay logs away. On MariaDB, with both threads"
                            + " stopped, any START SLAVE does so");
        }
        view.put("receivedNotApplied", received);
        Map<String, Object> gap = numbers(loss.gaps);
        if (!loss.gaps.isEmpty()) {
            gap.put(
                    "why",
                    "not known to be applied by " + survivor.name()
                            + ", and not kept: from before the black box began, while"
                            + " it had no binary log to read, or dropped for want of room");
        }
        view.put("unknown", gap);
        view.put("damaged", loss.damage());
        view.put("notKnown", notKnown(survivor, Boolean.TRUE.equals(primary.get("read"))));
        view.put("impliedOnly", numbers(loss.implied));
        Map<String, Object> early = listed(loss.unanswered.size(), rows(loss.unanswered));
        early.put("interruptedSessions", interrupted(loss));
        view.put("appliedNotKnownAnswered", early);
        Map<String, Object> toApply = new LinkedHashMap<>();
        toApply.put("transactions", loss.missing.size());
        toApply.put(
                "bytes", loss.missing.stream().mapToLong(each -> each.length).sum());
        view.put("toApply", toApply);
        view.put("witness", witness.get());
        Map<String, Object> kept = new LinkedHashMap<>();
        kept.put("transactions", box.transactions());
        kept.put("bytes", box.bytes());
        kept.put("dropped", box.dropped());
        kept.put("forgotten", loss.forgotten);
        kept.put("answersLost", sessionEvents.lost());
        view.put("kept", kept);
        return view;
    }

    /** Removes what clients were told of although its response never came, and what was not committed. */
    private void judged(Loss loss) {
        Set<String> told = new HashSet<>();
        Set<List<Long>> sessions = new HashSet<>();
        for (OutcomeRecord each : outcomes.find(Outcomes.Filter.ANY)) {
            if (each.told() && each.verdict() == OutcomeRecord.Verdict.COMMITTED) {
                told.add(each.gtid());
            }
            if (each.told() || each.verdict() == OutcomeRecord.Verdict.NOT_COMMITTED) {
                sessions.add(List.of(each.session(), each.thread()));
            }
        }
        loss.unanswered.removeIf(each -> told.contains(each.gtid.text()));
        loss.interrupted.removeIf(each -> sessions.contains(List.of(each.session(), each.thread())));
    }

    /**
     * Returns what no list can have, as objects of the response.
     *
     * @param read whether the primary's log is being read
     */
    public List<Object> notKnown(Survivor survivor, boolean read) {
        List<Object> all = new ArrayList<>();
        String unsure = doubt.get();
        if (unsure != null && !read) {
            all.add(Map.of("what", unsure));
        }
        for (String each : box.formerUnknown()) {
            if (read || !each.equals(unsure)) {
                all.add(Map.of(
                        "unread",
                        true,
                        "what",
                        each + ". Once the old primary was compared or given up: understudy report lost --on primary"
                                + " --compared"));
            }
        }
        if (!survivor.others().isEmpty()) {
            all.add(Map.of(
                    SPLIT,
                    true,
                    "what",
                    "which server is the primary: "
                            + (survivor.readOnly()
                                    ? survivor.name() + " is read-only, and "
                                    : "beside " + survivor.name() + ", ")
                            + String.join(" and ", survivor.others())
                            + (survivor.others().size() == 1 ? " takes" : " take")
                            + " writes"
                            + (!survivor.readOnly() && survivor.chosen().contains(Survivors.NOT_ASKED)
                                    ? ", or may"
                                    : "")
                            + ". This is about " + survivor.name() + " alone: understudy report lost --on "
                            + survivor.others().get(0)
                            // Where one alone takes writes, that would end them.
                            + (survivor.readOnly() && survivor.others().size() == 1
                                    ? ""
                                    : ". docs/monitoring/README.md, UnderstudySplit, has what to do")));
        }
        Standing standing = box.standing(survivor);
        if (standing.renumbered()) {
            all.add(Map.of(
                    RENUMBERED,
                    true,
                    "what",
                    "which of the transactions since the primary's numbers began anew (RESET MASTER) " + survivor.name()
                            + " has: its position may count the earlier ones, and its replication skip the later ones."
                            + " Build it anew, then understudy report lost --on " + survivor.name() + " --compared."
                            + " docs/black-box.md, After RESET MASTER, says how, also without the primary. "
                            + standing.ofBefore()));
        }
        return all;
    }

    private Map<String, Object> survivor(Survivor survivor) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", survivor.name());
        map.put("chosen", survivor.chosen());
        map.put("position", survivor.position());
        map.put("readOnly", survivor.readOnly());
        map.put("compared", box.standing(survivor).compared());
        return map;
    }

    private Map<String, Object> primary(Loss loss) {
        Map<String, Object> map = new LinkedHashMap<>();
        String silent = loss.streaming ? silence.get() : null;
        map.put("read", loss.streaming && silent == null);
        if (silent != null) {
            map.put("lostAt", clock.instant().toString());
            map.put("why", silent);
        } else if (!loss.streaming) {
            map.put("lostAt", lostAt(loss));
            map.put("why", loss.trouble == null ? "its binary log has not been read yet" : loss.trouble);
        }
        // Only then its log may bring what was not captured. It is asked for nothing else.
        boolean uncaptured = !loss.notCaptured.isEmpty() || loss.moreNotCaptured > 0;
        map.put("alive", silent == null && !loss.ofFormer && (loss.streaming || uncaptured && alive.getAsBoolean()));
        map.put("survivorBeyond", loss.beyond());
        map.put("lacksOfBefore", loss.lacksOfBefore);
        map.put("lacksOfFormer", loss.ofFormer);
        return map;
    }

    private String lostAt(Loss loss) {
        if (loss.trouble == null || loss.logs.isEmpty()) {
            return "never read";
        }
        Long ended = loss.endedNanos;
        return ended == null ? "a time that is not known" : wall(ended);
    }

    /** Returns up to where the binary log of each primary was read. The last one is the present primary's. */
    private List<Object> logs(Loss loss, boolean presentRead) {
        List<Object> logs = new ArrayList<>();
        PrimaryFacts last = List.copyOf(loss.logs.keySet()).stream()
                .reduce((earlier, later) -> later)
                .orElse(null);
        loss.logs.forEach((facts, upTo) -> {
            boolean history = hasLater(loss, facts);
            if (history && !loss.beforeReset.contains(facts)) {
                return; // the later one goes on with the same log
            }
            boolean mariaDb = facts.flavor() == ServerFlavor.MARIADB;
            boolean present = facts.equals(last);
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("server", "server_id " + facts.serverId());
            map.put("serverId", facts.serverId());
            map.put("uuid", facts.serverUuid());
            map.put("upTo", upTo);
            map.put("read", present && (presentRead || box.streaming() && (loss.logs.size() > 1 || loss.ofFormer)));
            map.put("history", history);
            map.put("variable", mariaDb ? "@@gtid_binlog_pos" : "@@gtid_executed");
            logs.add(map);
        });
        return logs;
    }

    /** Returns whether the same server was the primary again later: that log's position is the one to compare with. */
    private static boolean hasLater(Loss loss, PrimaryFacts facts) {
        List<PrimaryFacts> all = List.copyOf(loss.logs.keySet());
        return all.subList(all.indexOf(facts) + 1, all.size()).stream().anyMatch(facts::sameServer);
    }

    private Map<String, Object> part(List<KeptTransaction> transactions) {
        Map<String, Object> map = listed(transactions.size(), rows(transactions));
        map.put("tables", tables(transactions));
        return map;
    }

    private static Map<String, Object> listed(int count, List<Object> rows) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("count", count);
        map.put("transactions", rows);
        return map;
    }

    private static Map<String, Object> numbers(GtidNumbers transactions) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("transactions", transactions.count());
        map.put(NUMBERS, transactions.toString());
        return map;
    }

    private List<Object> rows(Map<Gtid, AnsweredCommit> commits) {
        List<Object> rows = new ArrayList<>();
        commits.entrySet().stream().limit(LISTED).forEach(each -> rows.add(row(each.getKey(), each.getValue(), null)));
        return rows;
    }

    private List<Object> rows(List<KeptTransaction> transactions) {
        List<Object> rows = new ArrayList<>();
        for (KeptTransaction each : transactions.subList(0, Math.min(LISTED, transactions.size()))) {
            rows.add(row(each.gtid, each.answered, each));
        }
        return rows;
    }

    private Map<String, Object> row(
            Gtid gtid, @Nullable AnsweredCommit answered, @Nullable KeptTransaction transaction) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("gtid", gtid.text());
        row.put("captured", transaction != null && !transaction.isDropped());
        if (transaction != null) {
            row.put("kind", transaction.kind.name().toLowerCase(java.util.Locale.ROOT));
            row.put("bytes", transaction.length);
            row.put("seenAt", wall(transaction.nanos));
            BinlogTransaction read = box.read(transaction);
            row.put("tables", read == null ? List.of() : List.copyOf(read.tables()));
        }
        if (answered != null) {
            row.put("answeredAt", wall(answered.nanos()));
            row.put("gtidSupposed", answered.supposed() != null);
            row.put("session", answered.session());
            row.put("thread", answered.thread());
            row.put("user", answered.user());
            String schema = answered.schema();
            row.put("schema", schema == null ? "" : schema);
            row.put("digest", answered.digest() == 0 ? "" : HexFormat.of().toHexDigits(answered.digest()));
        }
        return row;
    }

    /**
     * Returns the number of transactions that write each table; {@code ?} counts those whose tables are not all known.
     */
    private Map<String, Integer> tables(List<KeptTransaction> transactions) {
        Map<String, Integer> counts = new TreeMap<>();
        for (KeptTransaction each : transactions.subList(0, Math.min(READ, transactions.size()))) {
            BinlogTransaction read = box.read(each);
            if (read == null || !read.tablesKnown()) {
                counts.merge("?", 1, Integer::sum);
            }
            if (read != null) {
                read.tables().forEach(table -> counts.merge(table, 1, Integer::sum));
            }
        }
        return counts;
    }

    private List<Object> interrupted(Loss loss) {
        List<Object> rows = new ArrayList<>();
        for (InterruptedSession each : loss.interrupted) {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("session", each.session());
            row.put("thread", each.thread());
            row.put("user", each.user());
            row.put("digest", each.digest() == 0 ? "" : HexFormat.of().toHexDigits(each.digest()));
            row.put("endedAt", wall(each.nanos()));
            rows.add(row);
        }
        return rows;
    }

    private String wall(long nanos) {
        Instant time = clock.instant().minusNanos(nanoClock.getAsLong() - nanos);
        return time.truncatedTo(java.time.temporal.ChronoUnit.MILLIS).toString();
    }
}
