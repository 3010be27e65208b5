package io.understudy.plugin;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SessionRefusalTest {
    /** The session could not write it to its client, and would go on. */
    @Test
    @SuppressWarnings("NullAway")
    void aRefusalWithoutAMessageIsAnErrorOfThePlugin() {
        assertThatThrownBy(() -> new SessionRefusal("limit", "few", 1226, "42000", null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("message: is missing; say what was refused and what to do");
    }
}
