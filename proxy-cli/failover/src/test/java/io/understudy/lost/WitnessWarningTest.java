package io.understudy.lost;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class WitnessWarningTest {
    private static Map<String, Object> box(boolean keeps, String reason) {
        return Map.of(
                "keeps", keeps, "reason", reason, "cause", "it is full", "remedy", "make room", "sinceSeconds", 9);
    }

    @Test
    void aBoxThatKeepsNothingSaysWhy() {
        assertThat(WitnessWarning.ofKeeping(box(false, "disk_full")))
                .isEqualTo(new WitnessWarning(
                        "the black box keeps nothing (disk_full, for 9 s): it is full", "make room"));
        assertThat(WitnessWarning.ofKeeping(box(true, ""))).isNull();
    }

    /** The proxy tells of the primary by itself. */
    @Test
    void thePrimarysTroubleIsNotTheBoxs() {
        assertThat(WitnessWarning.ofKeeping(box(false, "connection"))).isNull();
        assertThat(WitnessWarning.ofKeeping(box(false, "behind"))).isNull();
    }

    @Test
    void aWitnessWarnsAsBefore() {
        Map<String, Object> view = Map.of("state", "withdrawn", "reason", "disk_full", "remedy", "make room");
        assertThat(WitnessWarning.ofKeeping(view))
                .isEqualTo(WitnessWarning.of(view))
                .isNotNull();
    }
}
