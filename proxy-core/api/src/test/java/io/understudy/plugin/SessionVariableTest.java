package io.understudy.plugin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.understudy.testkit.FakeExchange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionVariableTest {
    private static final VariableValue OFF = new VariableValue(0, "SET v=0", "test");
    private static final VariableValue ON = new VariableValue(1, "SET v=1", "test");
    private static final VariableValue MORE = new VariableValue(2, "SET v=2", "test");
    private static final InjectionResult REFUSED = new InjectionResult(1227, "no");

    private final List<String> events = new ArrayList<>();
    private final SessionVariable variable = new SessionVariable(List.of("v"), OFF, new SessionVariable.Listener() {
        @Override
        public void onResponse(VariableValue value, InjectionResult result) {
            events.add(value.statement().sql() + " " + result.errorCode());
        }

        @Override
        public void onClientSets() {
            events.add("client");
        }
    });

    private @Nullable String wants(@Nullable VariableValue value, boolean atBoundary) {
        if (value != null) {
            variable.want(value);
        }
        return ahead(null, atBoundary);
    }

    private @Nullable String ahead(@Nullable String settingText, boolean atBoundary) {
        InjectedStatement statement = variable.ahead(settingText, atBoundary);
        return statement == null ? null : statement.sql();
    }

    private void responds(VariableValue value, InjectionResult result) {
        assertThat(variable.responded(value.statement(), result)).isTrue();
    }

    @Test
    void isSetWhereItIsWantedAndSetBackWhereItIsNot() {
        assertThat(wants(null, true)).isNull();
        assertThat(wants(ON, true)).isEqualTo("SET v=1");
        assertThat(wants(ON, true)).isNull();
        assertThat(wants(MORE, true)).isEqualTo("SET v=2");
        assertThat(variable.isAway()).isTrue();
        assertThat(wants(null, true)).isEqualTo("SET v=0");
        assertThat(wants(null, true)).isNull();
        assertThat(variable.confirmed()).isNull();
        responds(ON, InjectionResult.OK);
        assertThat(variable.confirmed()).isSameAs(ON);
        assertThat(variable.present()).isSameAs(OFF);
    }

    @Test
    void isKeptOrSetBackOffABoundary() {
        assertThat(wants(ON, false)).isNull();
        wants(ON, true);
        assertThat(wants(ON, false)).isNull();
        variable.keep();
        assertThat(ahead(null, false)).isNull();
        assertThat(wants(MORE, false)).isEqualTo("SET v=0");
        assertThat(wants(ON, false)).isNull();
    }

    @Test
    void keepsWhatLaterStatementsInFlightHaveSetAfterARefusal() {
        wants(ON, true);
        wants(MORE, true);
        responds(ON, REFUSED);
        assertThat(variable.present()).isSameAs(MORE);
        responds(MORE, InjectionResult.OK);
        wants(null, true);
        responds(OFF, REFUSED);
        assertThat(variable.isAway()).as("not set back yet").isTrue();
        assertThat(wants(null, false)).isEqualTo("SET v=0");
    }

    @Test
    void isOnlySetBackAfterRepeatedRefusals() {
        wants(ON, true);
        responds(ON, InjectionResult.OK);
        for (int i = 0; i < SessionVariable.MAX_REFUSALS; i++) {
            assertThat(wants(MORE, true)).isEqualTo("SET v=2");
            responds(MORE, REFUSED);
        }
        assertThat(variable.isLeftAlone()).isTrue();
        assertThat(wants(MORE, true)).isEqualTo("SET v=0");
        responds(OFF, InjectionResult.OK);
        assertThat(wants(ON, true)).isNull();
        variable.reset();
        assertThat(wants(ON, true)).isEqualTo("SET v=1");
    }

    @Test
    void aClientsOwnValueStaysUntilAReset() {
        wants(ON, true);
        variable.want(MORE);
        assertThat(ahead("set session v=9", true)).isEqualTo("SET v=0");
        variable.sent("set session v=9");
        variable.sent("set session v=8");
        assertThat(wants(ON, true)).isNull();
        assertThat(variable.isAway()).isFalse();
        assertThat(events).containsExactly("client");
        variable.resetSent();
        variable.reset();
        assertThat(wants(ON, true)).isEqualTo("SET v=1");
    }

    /** On an event loop, which other sessions share. */
    @Test
    void aTextOfCombiningMarksTakesNoLongTime() {
        String text = "prepare s from '" + "\u0300".repeat(100_000) + "'";
        assertTimeoutPreemptively(Duration.ofSeconds(15), () -> variable.sent(text));
        assertThat(events).isEmpty();
    }

    /** Its response comes after that of the reset, and it is not undone by it. */
    @Test
    void aClientsOwnValueStaysWhereItWasSentBehindTheReset() {
        variable.sent("set session v=9");
        variable.resetSent();
        variable.sent("set session v=8");
        variable.reset();
        assertThat(variable.isClients()).isTrue();
        assertThat(wants(ON, true)).isNull();
        variable.resetSent();
        variable.reset();
        assertThat(wants(ON, true)).isEqualTo("SET v=1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET @@session.v = 9",
                "SET STATEMENT v = 9 FOR SELECT 1",
                "SELECT 1; SET v = 9",
                "EXECUTE IMMEDIATE 'SET v = 9'",
                "EXECUTE IMMEDIATE '\\tset v = 9'",
                "PREPARE s FROM 'SET v = ?'"
            })
    void aStatementThatSetsItMakesItTheClients(String sql) {
        sent(sql);
        assertThat(events).containsExactly("client");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1; SELECT @@v",
                "EXECUTE IMMEDIATE 'SELECT @@v'",
                "EXECUTE s USING @v",
                "PREPARE s FROM 'SELECT @@v'",
                "PREPARE s FROM 'SELECT @@v FROM t LIMIT 1 OFFSET 2'"
            })
    void aStatementThatOnlyNamesItDoesNot(String sql) {
        wants(ON, true);
        variable.want(ON);
        assertThat(ahead(SessionVariable.settingText(FakeExchange.to(sql)), true))
                .as("it stays")
                .isNull();
        sent(sql);
        assertThat(events).isEmpty();
        assertThat(wants(null, true)).isEqualTo("SET v=0");
    }

    private void sent(String sql) {
        String settingText = SessionVariable.settingText(FakeExchange.to(sql));
        assertThat(settingText).isNotNull();
        variable.sent(Objects.requireNonNull(settingText));
    }

    @Test
    void aProbeChangesNothing() {
        variable.probe(OFF);
        assertThat(ahead(null, true)).isEqualTo("SET v=0");
        assertThat(variable.present()).isNull();
        assertThat(variable.responded(OFF.probe().statement(), REFUSED)).isTrue();
        assertThat(events).containsExactly("SET v=0 1227");
        wants(ON, true);
        variable.probe(ON);
        assertThat(ahead(null, true)).isEqualTo("SET v=1");
        variable.probe(MORE);
        assertThat(ahead(null, true)).as("it would change the value").isEqualTo("SET v=0");
        assertThat(variable.isAway()).isFalse();
    }

    @Test
    void aReleasedVariableIsSetBackAndReportsNothing() {
        wants(ON, true);
        variable.want(ON);
        variable.release();
        responds(ON, InjectionResult.OK);
        assertThat(ahead(null, false)).isEqualTo("SET v=0");
        assertThat(events).isEmpty();
    }
}
