package io.understudy.plugins.blackbox.history;

import io.understudy.plugins.binlog.PrimaryFacts;
import io.understudy.plugins.blackbox.history.AnsweredCommit.CommitEvidence;
import io.understudy.servers.GtidNumbers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The transactions that a survivor lacks, by reference. */
public final class Loss {
    /** Neither applied nor received, in the order of the binary log. */
    public final List<KeptTransaction> missing = new ArrayList<>();
    /** Those of them that a primary wrote before its numbers began anew (RESET MASTER), and the survivor's did not. */
    public final List<KeptTransaction> ofBefore = new ArrayList<>();
    /** Received into its relay logs, but not applied. */
    public final List<KeptTransaction> received = new ArrayList<>();
    /** Answered, but their events never arrived. */
    public final Map<Gtid, AnsweredCommit> notCaptured = new LinkedHashMap<>();
    /** Answered, but it is not known whether anything was committed; by the GTID that it would have. */
    public final Map<Gtid, AnsweredCommit> unsettled = new LinkedHashMap<>();
    /** Applied there, and no OK was seen for them. */
    public final List<KeptTransaction> unanswered = new ArrayList<>();

    public final List<InterruptedSession> interrupted = new ArrayList<>();
    /** Not known to be applied there, and not retained. */
    public final GtidNumbers gaps = new GtidNumbers();

    /** Reported before as missing and not to be had from a file, and now implied by the survivor's position alone. */
    public final GtidNumbers implied = new GtidNumbers();

    /** The history that was added last. */
    private @Nullable History former;
    /** What the survivor lacks of its log, in some list. */
    private GtidNumbers listed = new GtidNumbers();

    /** What the survivor lacks of each history. */
    private final Map<History, Lacking> lacking = new HashMap<>();

    /**
     * What a survivor lacks of a history.
     *
     * @param captured what a rescue file has
     * @param elsewhere the rest
     */
    public record Lacking(GtidNumbers captured, GtidNumbers elsewhere) {}

    /** By history, the oldest first: the GTIDs up to which its binary log was read. */
    public final Map<PrimaryFacts, String> logs = new LinkedHashMap<>();

    /** Those of them that were written before numbers began anew (RESET MASTER). */
    public final Set<PrimaryFacts> beforeReset = new HashSet<>();

    /** What the log has lost, and where. */
    public final List<String> damage = new ArrayList<>();

    public long moreNotCaptured;
    /** Transactions of primaries that are too long ago. */
    public long forgotten;

    /**
     * GTIDs that the survivor has in addition to the histories of which it lacks something. They matter for a replay
     * alone, so they are compared with the primaries that wrote the missing transactions.
     */
    private final Set<String> beyond = new LinkedHashSet<>();

    /** Whether the log is read that can still bring all of it. */
    public boolean streaming;

    /** Whether some of it is of a primary that is not read any more. */
    public boolean ofFormer;

    /** Whether the survivor lacks something of before numbers began anew: they may denote others of since, too. */
    public boolean lacksOfBefore;

    public @Nullable String trouble;

    /** When the last log was last read; null if that is not known. */
    public @Nullable Long endedNanos;

    /**
     * Adds what the survivor lacks of a history. Called under the lock of the black box.
     *
     * @param since when the survivor became the primary, of which clients may have OKs before its log is read; null if
     *     it is not
     */
    public void add(History history, Survivor survivor, @Nullable Long since) {
        int before = found();
        logs.put(history.facts, history.readUpTo());
        if (history.isBeforeReset()) {
            beforeReset.add(history.facts);
        }
        follow(history);
        GtidNumbers gap =
                history.notKept().minus(survivor.applied().of(history)).minus(listed);
        gaps.addAll(gap);
        listed.addAll(gap);
        Lacking part = new Lacking(new GtidNumbers(), gap);
        lacking.put(history, part);
        addKept(history, survivor, part);
        addUnseen(history, survivor, since, part);
        lacksOfBefore |= history.isBeforeReset() && (!part.captured.isEmpty() || !part.elsewhere.isEmpty());
        moreNotCaptured += history.answers.moreUnseen();
        for (KeptTransaction each : history.answers.unanswered()) {
            if (survivor.applied().has(each.gtid, history)) {
                unanswered.add(each);
            }
        }
        // Sessions that ended before the last minute of the stream have expired.
        interrupted.addAll(history.interrupted);
        if (found() > before) {
            beyond.add(survivor.applied().beyond(history));
        }
    }

    /** Adds the history that the survivor itself writes: its position is older than what was read of it since. */
    public void addOwn(History history) {
        follow(history);
        logs.put(history.facts, history.readUpTo());
        lacking.put(history, new Lacking(new GtidNumbers(), new GtidNumbers()));
    }

    /** A log that goes on with the one before has the same transactions at its begin: they are in one list only. */
    private void follow(History history) {
        GtidNumbers both = new GtidNumbers();
        if (former != null) {
            both = listed.minus(listed.minus(former.sharedWith(history)));
        }
        listed = both;
        former = history;
    }

    private void addUnseen(History history, Survivor survivor, @Nullable Long since, Lacking part) {
        Map<Gtid, AnsweredCommit> supposed = new LinkedHashMap<>();
        Map<String, Long> highest = history.highest();
        history.answers.unseen().forEach((text, answered) -> {
            for (Gtid gtid : Gtid.parseAll(history.flavor(), text)) {
                boolean certain = answered.supposed() == null || answered.supposed() == CommitEvidence.WROTE;
                if (since != null && answered.sentNanos() - since > 0 && !history.isWriter(gtid)) {
                    continue;
                }
                if (certain) {
                    highest.merge(gtid.source(), gtid.number(), Math::max);
                }
                if (!survivor.applied().has(gtid, history)) {
                    part.elsewhere.add(gtid.source(), gtid.number());
                    (certain ? notCaptured : supposed).put(gtid, answered);
                }
            }
        });
        supposed.forEach((gtid, answered) -> {
            // A domain's numbers have no holes.
            boolean exists = gtid.number() <= highest.getOrDefault(gtid.source(), 0L);
            boolean counted = answered.supposed() == CommitEvidence.COUNTED;
            if (exists && counted) {
                notCaptured.put(gtid, answered);
            } else if (exists || counted) {
                unsettled.put(gtid, answered);
            }
        });
    }

    private void addKept(History history, Survivor survivor, Lacking part) {
        Applied toRelayLogs = survivor.received();
        for (KeptTransaction each : history.kept) {
            if (survivor.applied().has(each.gtid, history)) {
                continue;
            }
            listed.add(each.gtid.source(), each.gtid.number());
            if (toRelayLogs != null && toRelayLogs.has(each.gtid, history)) {
                received.add(each);
                part.elsewhere.add(each.gtid.source(), each.gtid.number());
            } else {
                missing.add(each);
                if (history.isBeforeReset() && !isUnknown(survivor, history)) {
                    ofBefore.add(each);
                }
                part.captured.add(each.gtid.source(), each.gtid.number());
            }
        }
    }

    private static boolean isUnknown(Survivor survivor, History history) {
        return survivor.applied() instanceof Renumbered numbers && numbers.isUnknown(history);
    }

    public Map<History, Lacking> lacking() {
        return lacking;
    }

    /** Returns the damage of the log, for views. */
    public List<Map<String, String>> damage() {
        return damage.stream().map(each -> Map.of("what", each)).toList();
    }

    /** Returns what the survivor has in addition, as GTIDs; empty if it has nothing more. */
    public String beyond() {
        return beyond.stream().filter(gtids -> !gtids.isEmpty()).collect(Collectors.joining(","));
    }

    /** Returns how many transactions the survivor has not applied, or is not known to have. */
    public long lacks() {
        return found() + gaps.count() + unsettled.size() + moreNotCaptured;
    }

    /** Returns how many transactions the survivor has not applied, as far as they are known. */
    private int found() {
        return missing.size() + received.size() + notCaptured.size();
    }
}
