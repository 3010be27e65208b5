package io.understudy.readiness;

import io.understudy.lost.MissingView;
import io.understudy.lost.WitnessWarning;
import io.understudy.terminal.Table;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;

/** Commits that the black box knows and the standby lacks. */
final class MissingCheck {
    private static final String LIST = "understudy report lost --on ";

    private MissingCheck() {}

    static void find(Findings found) {
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
        for (String each : lost.notKnown()) {
            found.undecided(
                    "not known",
                    "it is not known whether it has all commits: " + each,
                    "commits that clients were told of may be missing there, and in no list",
                    list + "; compare the standbys' positions, and promote the one that has most");
        }
        if (lost.nowhere() > 0) {
            found.blocks(
                    "lost",
                    lost.nowhere() + " transactions are missing there that no rescue file has",
                    "they are in the binary log of the old primary alone",
                    list + "; promote a standby that lacks fewer, or bring the old primary back");
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
