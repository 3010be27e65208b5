package io.understudy.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MirrorTextTest {
    private static final Map<String, Object> EXCESS = Map.of("estimate", 0.03, "low", -0.06, "high", 0.12);

    private static String text(Map<String, Object> warmth) {
        return ReportText.MIRROR.of(Map.of(
                "rules",
                List.of(),
                "standbys",
                List.of(Map.of("standby", "s1", "state", "mirroring", "warmth", warmth)),
                "skipped",
                Map.of()));
    }

    private static String known(Map<String, Object> forecast) {
        return text(Map.of("state", "known", "warmth", 0.83, "excessPages", EXCESS, "forecast", forecast));
    }

    /** The figures of docs/mirroring.md. */
    @Test
    void theForecastOfATakeoverIsNotTheTimeUntilTheMirrorHasWarmedIt() {
        String text = known(Map.of("secondsUntilWarm", 40, "secondsOverCapacity", 12, "extraReadsFirstMinute", 1500));
        assertThat(text)
                .contains(
                        "warmth: 83% of the way from a restart to the primary; 0.03 pages a statement (-0.06 to 0.12)"
                                + " more",
                        "warm in about 40 s at the present rate of mirroring",
                        "if it took over now: 1500 page reads more in the first minute,"
                                + " its disk over capacity for about 12 s");
        assertThat(known(Map.of("secondsUntilWarm", "more than a day")))
                .contains("warm in more than a day at the present rate")
                .doesNotContain("day s", "took over");
        assertThat(known(Map.of("secondsUntilWarm", 0, "secondsOverCapacity", 0, "extraReadsFirstMinute", 5)))
                .contains("5 page reads more in the first minute, its disk keeps up")
                .doesNotContain("warm in");
    }

    @Test
    void anExcessThatIsNotKnownIsNotPrinted() {
        assertThat(text(Map.of("state", "uncertain", "why", "the probes do not tell yet", "excessPages", EXCESS)))
                .contains("warmth: not known: the probes do not tell yet")
                .doesNotContain("0.03");
    }

    /** An alias in back quotes may hold anything. */
    @Test
    void aNameFromOutsideSteersNoTerminal() {
        String text = ReportText.MIRROR.of(Map.of(
                "standbys",
                List.of(Map.of(
                        "standby",
                        "s1",
                        "lastErrors",
                        List.of(Map.of("text", "no `\u001b]52;c;QQ==\u0007` here\nforged  10%"))))));
        assertThat(text)
                .doesNotContain("\u001b", "\u0007", "\nforged")
                .contains("\\u001b]52;c;QQ==\\u0007` here | forged");
    }
}
