package io.understudy.readiness;

import io.understudy.lost.MissingView;
import io.understudy.lost.WitnessWarning;
import io.understudy.terminal.Table;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What stands against a promotion by the figures of the running proxy. */
final class ProxyChecks {
    private static final int SHOWN = 10;
    private static final String LIST = "understudy report lost --on ";

    private ProxyChecks() {}

    /** Checks by the mirror's figures whether the standby's buffer pool is cold. */
    static void cold(Findings found) {
        Double coldAbove = found.situation().expected().coldAbove();
        if (coldAbove == null) {
            return;
        }
        Map<String, Object> warmth = found.situation().proxy().warmth();
        if (warmth != null && "was_primary".equals(warmth.get("state"))) {
            return; // until now it served what it would serve again
        }
        Double least = warmth == null ? null : number(warmth.get("excessPages"), "low");
        boolean cold = least != null && least > coldAbove;
        boolean known = warmth != null && "known".equals(warmth.get("state")) && least != null;
        if (known && !cold) { // within the accuracy of the estimate
            return;
        }
        if (warmth == null || !cold) {
            found.unknown(
                    "",
                    "how cold it is, is not known"
                            + (warmth == null
                                    ? ": the proxy was not asked, or has no figures"
                                    : ": " + warmth.getOrDefault("why", warmth.get("state"))),
                    "a cold standby responds slowly for minutes after the promotion",
                    "let the mirror run for some minutes (docs/mirroring.md); on the standby: SET GLOBAL"
                            + " innodb_buffer_pool_load_now = 1");
            return;
        }
        Double excess = number(warmth.get("excessPages"), "estimate");
        boolean bound = excess == null || "timeouts".equals(warmth.get("state"));
        String until = seconds(warmth.get("forecast"), "secondsUntilWarm");
        String over = seconds(warmth.get("forecast"), "secondsOverCapacity");
        Double reads = number(warmth.get("forecast"), "extraReadsFirstMinute");
        found.warns(
                "",
                String.format(
                                Locale.ROOT,
                                "it is cold: %s%.2f pages a statement above the primary's",
                                bound ? "at least " : "",
                                excess == null ? least : excess)
                        + (until.isEmpty() ? "" : ", warm in " + until),
                "after the promotion these pages come from its disk"
                        + (reads == null ? "" : String.format(Locale.ROOT, ": %,.0f in the first minute", reads))
                        + (over.isEmpty() ? "" : ", more than its disk gives for " + over),
                "mirror a larger sample until then (sample: adaptive)");
    }

    /** Returns a time of the forecast; empty if it has none, or none that says something. */
    private static String seconds(@Nullable Object forecast, String key) {
        Double seconds = number(forecast, key);
        if (seconds != null) {
            return seconds == 0 ? "" : String.format(Locale.ROOT, "about %.0f s", seconds);
        }
        if (forecast instanceof Map<?, ?> values && values.get(key) instanceof String words) {
            return words;
        }
        Double low = number(forecast, key + "Low");
        Double high = number(forecast, key + "High");
        if (low == null || low == 0 && high == null) {
            return "";
        }
        return high == null
                ? String.format(Locale.ROOT, "%.0f s or longer", low)
                : String.format(Locale.ROOT, "%.0f to %.0f s", low, high);
    }

    private static @Nullable Double number(@Nullable Object map, String key) {
        return map instanceof Map<?, ?> values && values.get(key) instanceof Number number
                ? number.doubleValue()
                : null;
    }

    /** Reads of which the mirror's {@code verify} found other rows on the standby. */
    static void verify(Findings found) {
        List<Map<String, Object>> differences = found.situation().proxy().differences();
        if (differences == null) {
            if (found.situation().expected().differences()) {
                found.unknown(
                        "",
                        "whether reads differ there from the primary is not known: the proxy was not asked, or does"
                                + " not verify",
                        "the standby may have other rows than the primary",
                        "start the proxy, and give the admin token (admin.token in the file)");
            }
            return;
        }
        differences.stream()
                .limit(SHOWN)
                .forEach(row -> found.blocks(
                        String.valueOf(row.get("digest")),
                        "it has other rows than the primary: a read of " + row.get("tables") + " (digest "
                                + row.get("digest") + ") gave " + row.get("rowsStandby") + " rows there and "
                                + row.get("rowsPrimary") + " on the primary, found at " + row.get("found")
                                + (differences.size() > SHOWN
                                        ? "; " + differences.size() + " reads differ in all"
                                        : ""),
                        "the application gets them after the promotion, and what the primary had is lost",
                        "compare the tables and repair or build the standby anew; the finding goes when the read no"
                                + " longer differs"));
    }

    /** Commits that the black box knows and the standby lacks. */
    static void missing(Findings found) {
        Situation situation = found.situation();
        if (!situation.expected().missing()) {
            return;
        }
        Known<Map<String, Object>> told = situation.proxy().lost();
        Map<String, Object> report = told.value();
        if (report == null) {
            found.undecided(
                    "",
                    "what the black box knows of missing commits is not known: " + told.reason(),
                    "commits that clients were told of may be missing there",
                    told.statement());
            return;
        }
        MissingView lost = new MissingView(report);
        String list = LIST + situation.standby();
        if (lost.implied() > 0) {
            String numbers = String.valueOf(lost.part("impliedOnly").get("numbers"));
            boolean own = wroteAll(situation, numbers);
            found.blocks(
                    "implied",
                    lost.implied() + " transactions count as applied by its position alone, and were never seen"
                            + " applied: " + numbers,
                    "they were reported as missing before, and are lost for good after the promotion",
                    list
                            + (own
                                    ? "; it wrote them itself as the primary: read them in its own binary log, decide"
                                            + " about them, and build it anew (docs/failover.md, People, step 6)"
                                    : "; compare the tables with the binary log of the primary that wrote them. If"
                                            + " equal, or if the standby was built anew since: " + list
                                            + " --compared"));
        }
        if (lost.isRenumbered()) {
            found.blocks(
                    "renumbered",
                    "the primary's numbers began anew (RESET MASTER), and what the standby has since is not known",
                    "transactions may be missing there although its position has their numbers",
                    "docs/black-box.md, After RESET MASTER: build it anew; then " + list + " --compared");
            return;
        }
        Map<String, Object> apply = lost.part("toApply");
        long toApply = Table.whole(apply, "transactions");
        if (toApply > 0 && !lost.isPrimaryGone()) {
            found.add(
                    "apply",
                    Severity.NOTES,
                    String.format(
                            Locale.ROOT,
                            "if the primary died now, understudy failover would apply %,d transactions (%,d bytes) from"
                                    + " the black box, in about %d s",
                            toApply,
                            Table.whole(apply, "bytes"),
                            MissingView.seconds(toApply)),
                    "until then it lacks them",
                    "");
        }
        if (!lost.isPrimaryGone()) {
            WitnessWarning witness = WitnessWarning.of(situation.proxy().witness());
            if (witness != null) {
                found.warns(
                        "witness",
                        witness.what(),
                        "commits since then that no standby has received are lost with the primary",
                        witness.remedy());
            }
            return; // what is missing is on its way from the primary
        }
        Table.rows(report, "notAsked")
                .forEach(each -> found.unknown(
                        "not asked " + each.get("proxy"),
                        "the black box of " + each.get("proxy") + " was not asked: " + each.get("why"),
                        "what only that proxy's clients were told, or it alone has kept, is in no list",
                        list));
        for (String each : lost.notKnown()) {
            found.undecided(
                    "not known",
                    "it is not known whether it has all commits: " + each,
                    "commits that clients were told of may be missing there, and in no list",
                    list + "; compare the standbys' positions, and promote the one that has most");
        }
        if (lost.nowhere() > 0) {
            boolean united = report.containsKey("proxies");
            boolean lives = lost.isWrittenBy(found.primary().identity());
            found.blocks(
                    "lost",
                    lost.nowhere() + " transactions are missing there that no rescue file"
                            + (united ? "" : " of this proxy") + " has",
                    "they are in the binary log of the " + (lives ? "" : "old ") + "primary alone"
                            + (lives ? ", which responds, and is not read" : "")
                            + (united ? "" : ", unless the black box of another proxy has them, which was not asked"),
                    list
                            + (lives
                                    ? ": it says why the primary's binary log is not read; mend that, and let the"
                                            + " standby replicate"
                                    : "; promote a standby that lacks fewer, or bring the old primary back"));
        }
        if (lost.kept() > 0) {
            found.warns(
                    "kept",
                    lost.kept() + " commits that clients were told of are missing there; the black box has them",
                    "after the promotion the application misses them until they are replayed",
                    "understudy failover --to " + situation.standby() + " applies them; by hand: understudy rescue");
        }
    }

    /**
     * Returns whether the standby, an old primary, wrote them all itself.
     *
     * @param numbers by source, {@code domain-server:first-last} or {@code uuid:first-last}
     */
    private static boolean wroteAll(Situation situation, String numbers) {
        ServerFacts standby = situation.now().standby();
        String uuid = standby.variable("server_uuid");
        String id = standby.variable("server_id");
        return !id.isEmpty()
                && Arrays.stream(numbers.split(",", -1))
                        .map(each -> each.strip().replaceFirst(":.*", ""))
                        .allMatch(source -> source.equals(uuid) || source.matches("\\d+-" + id));
    }
}
