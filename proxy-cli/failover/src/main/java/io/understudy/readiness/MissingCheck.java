package io.understudy.readiness;

import io.understudy.lost.ReplayTime;
import io.understudy.lost.WitnessWarning;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Commits that the black box knows and the standby lacks. */
final class MissingCheck {
    private static final String LIST = "understudy report lost --on ";

    private MissingCheck() {}

    static void find(Findings found) {
        Situation situation = found.situation();
        if (!situation.expected().missing()) {
            return;
        }
        Map<String, Object> lost = situation.proxy().lost();
        if (lost == null) {
            found.unknown(
                    "",
                    "what the black box knows of missing commits is not known: the proxy was not asked, or could not"
                            + " ask the standby",
                    "commits that clients were told of may be missing there",
                    "start the proxy, and give the admin token (admin.token in the file)");
            return;
        }
        String list = LIST + situation.standby();
        long implied = number(lost, "impliedOnly", "transactions");
        if (implied > 0) {
            boolean own = wroteAll(situation, String.valueOf(value(lost, "impliedOnly", "numbers")));
            found.blocks(
                    "implied",
                    implied + " transactions count as applied by its position alone, and were never seen applied: "
                            + value(lost, "impliedOnly", "numbers"),
                    "they were reported as missing before, and are lost for good after the promotion",
                    list
                            + (own
                                    ? "; it wrote them itself as the primary: read them in its own binary log, decide"
                                            + " about them, and build it anew (docs/failover.md, People, step 6)"
                                    : "; compare the tables with the binary log of the primary that wrote them. If"
                                            + " equal, or if the standby was built anew since: " + list
                                            + " --compared"));
        }
        long toApply = number(lost, "toApply", "transactions");
        if (toApply > 0) {
            found.add(
                    "apply",
                    Severity.NOTES,
                    String.format(
                            Locale.ROOT,
                            "if the primary died now, understudy failover would apply %,d transactions (%,d bytes) from"
                                    + " the black box, in about %d s",
                            toApply,
                            number(lost, "toApply", "bytes"),
                            ReplayTime.seconds(toApply)),
                    "until then it lacks them",
                    "");
        }
        if (!Boolean.FALSE.equals(value(lost, "primary", "read"))) {
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
        long nowhere = number(lost, "answeredAndMissing", "notCaptured")
                + number(lost, "answeredNumberUnknown", "count")
                + number(lost, "unknown", "transactions");
        if (nowhere > 0) {
            found.blocks(
                    "lost",
                    nowhere + " transactions are missing there that no rescue file has",
                    "they are in the binary log of the old primary alone",
                    list + "; promote a standby that lacks fewer, or bring the old primary back");
        }
        long kept = number(lost, "answeredAndMissing", "captured");
        if (kept > 0) {
            found.warns(
                    "kept",
                    kept + " commits that clients were told of are missing there; the black box has them",
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

    private static @Nullable Object value(Map<String, Object> lost, String part, String key) {
        return lost.get(part) instanceof Map<?, ?> map ? map.get(key) : null;
    }

    private static long number(Map<String, Object> lost, String part, String key) {
        return value(lost, part, key) instanceof Number number ? number.longValue() : 0;
    }
}
