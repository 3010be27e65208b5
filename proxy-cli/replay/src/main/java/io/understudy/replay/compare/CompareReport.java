package io.understudy.replay.compare;

import io.understudy.replay.compare.ResultPrint.Relation;
import io.understudy.replay.log.LogCounts;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A comparison's outcome with stable names, for JSON, the terminal and HTML. */
public final class CompareReport {
    /** Exit codes, as pt-upgrade has them. */
    public static final int ALIKE = 0;

    public static final int TIME_DIFFERS = 4;
    public static final int RESULTS_DIFFER = 8;

    private static final String REFUSED_BY_B = Comparison.REFUSED + "b_";

    private static final Comparator<DigestComparison> WORST_FIRST = Comparator.<DigestComparison>comparingInt(
                    d -> d.differs() ? 0 : d.slower() ? 1 : d.faster() ? 2 : 3)
            .thenComparing(d -> -d.pairs() * d.medianNanosB());

    private CompareReport() {}

    /** Returns 0, 4 or 8: a difference in results or errors outweighs one in time. A faster B counts as alike. */
    public static int exitCode(Comparison comparison) {
        if (comparison.leftOut().keySet().stream().anyMatch(reason -> reason.startsWith(REFUSED_BY_B))) {
            return RESULTS_DIFFER; // A has accepted them: on B the application could not set up its sessions
        }
        int code = ALIKE;
        for (DigestComparison one : comparison.digests()) {
            if (one.differs()) {
                return RESULTS_DIFFER;
            }
            code = one.slower() ? TIME_DIFFERS : code;
        }
        return code;
    }

    /** Returns whether a statement succeeded on both servers: without one they are alike in nothing but failing. */
    public static boolean isComparison(Comparison comparison) {
        return comparison.digests().stream().anyMatch(one -> one.pairs() > 0);
    }

    /**
     * Returns the whole report. Has both servers explain what got slower, unless the comparison was stopped.
     *
     * @param examples whether statements are shown with their values
     */
    public static Map<String, Object> of(Comparison comparison, LogCounts log, boolean examples)
            throws InterruptedException {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("a", comparison.nameA());
        view.put("b", comparison.nameB());
        view.put("outcome", outcome(exitCode(comparison)));
        view.put("events", log.events());
        view.put("refused", log.refused());
        view.put("leftOut", comparison.leftOut());
        view.put("executed", comparison.executed());
        if (!comparison.atItsTime()) {
            view.put("clock", "own"); // a server refuses another time: NOW() differs by itself
        }
        String stopped = comparison.stopped();
        if (stopped != null) {
            view.put("stopped", stopped);
        }
        List<DigestComparison> sorted = new ArrayList<>(comparison.digests());
        sorted.sort(WORST_FIRST);
        view.put("counts", counts(sorted));
        List<Object> digests = new ArrayList<>();
        for (DigestComparison one : sorted) {
            digests.add(digest(comparison, one, examples));
        }
        view.put("digests", digests);
        return view;
    }

    private static String outcome(int exitCode) {
        return switch (exitCode) {
            case ALIKE -> "alike";
            case TIME_DIFFERS -> "slower";
            default -> "different";
        };
    }

    private static Map<String, Object> counts(List<DigestComparison> all) {
        Map<String, Object> counts = new LinkedHashMap<>();
        counts.put("digests", all.size());
        counts.put("different", count(all, DigestComparison::differs));
        counts.put("slower", count(all, DigestComparison::slower));
        counts.put("faster", count(all, DigestComparison::faster));
        for (Relation relation : List.of(Relation.ORDER, Relation.METADATA, Relation.ROUNDING)) {
            counts.put(name(relation), count(all, one -> one.count(relation) > 0));
        }
        counts.put("bySelf", count(all, one -> one.unstable > 0));
        long failed = count(all, one -> one.failedOnBoth > 0);
        if (failed > 0) {
            counts.put("failedOnBoth", failed);
        }
        counts.put("timeNotJudged", count(all, one -> Double.isNaN(one.time.pValue())));
        return counts;
    }

    private static long count(List<DigestComparison> all, java.util.function.Predicate<DigestComparison> which) {
        return all.stream().filter(which).count();
    }

    private static String name(Relation relation) {
        return switch (relation) {
            case ORDER -> "orderOnly";
            case METADATA -> "metadataOnly";
            case ROUNDING -> "roundingOnly";
            default -> relation.name().toLowerCase(Locale.ROOT);
        };
    }

    private static Map<String, Object> digest(Comparison comparison, DigestComparison one, boolean examples)
            throws InterruptedException {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("digest", String.format("%016x", one.digest));
        row.put("text", one.text);
        row.put("finding", one.differs() ? "different" : one.slower() ? "slower" : one.faster() ? "faster" : "alike");
        row.put("executions", one.executions);
        for (Relation relation : Relation.values()) {
            if (one.count(relation) > 0) {
                row.put(name(relation), one.count(relation));
            }
        }
        put(row, "capturedLikeA", one.capturedLikeA);
        put(row, "capturedLikeB", one.capturedLikeB);
        put(row, "bySelf", one.unstable);
        put(row, "failedOnBoth", one.failedOnBoth);
        put(row, "timeoutsA", one.timeoutsA);
        put(row, "timeoutsB", one.timeoutsB);
        put(row, "rowsHashedInPart", one.cut);
        if (!one.errors.isEmpty()) {
            row.put("errors", one.errors);
        }
        row.put("rowsA", one.rowsA);
        row.put("rowsB", one.rowsB);
        row.put("secondsA", one.medianNanosA() / 1e9);
        row.put("secondsB", one.medianNanosB() / 1e9);
        if (!Double.isNaN(one.time.pValue())) {
            row.put("ratio", one.time.ratio());
            row.put("differenceSeconds", one.time.nanos() / 1e9);
            row.put("pValue", one.time.pValue());
        }
        DigestComparison.Example slow = one.slowExample();
        // A stopped comparison sends nothing more: a server may have been promoted.
        if (one.slower() && slow != null && comparison.stopped() == null) {
            List<List<List<String>>> plans = comparison.explain(slow);
            row.put("planA", plans.get(0));
            row.put("planB", plans.get(1));
        }
        DigestComparison.@Nullable Example example = one.example();
        if (examples && example != null && !"alike".equals(row.get("finding"))) {
            row.put("example", new String(example.text(), StandardCharsets.UTF_8));
        }
        return row;
    }

    private static void put(Map<String, Object> row, String key, int count) {
        if (count > 0) {
            row.put(key, count);
        }
    }
}
