package io.understudy.readiness;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.config.Address;
import io.understudy.config.ConfigLoader;
import io.understudy.config.LoadedConfig;
import io.understudy.plugin.StandbyFigures;
import io.understudy.readiness.DefinitionsReader.Definitions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How old a report may be, and what of it is read anew. */
class ReadinessViewTest {
    private static final long SECOND = 1_000_000_000L;

    /** What each report was made of: all, or kept definitions. */
    private final List<String> made = new ArrayList<>();

    private long now = 1_000 * SECOND;
    private LoadedConfig config;
    private ReadinessView view;

    @BeforeEach
    void view() throws Exception {
        config = ConfigLoader.load("""
                primary: { address: "127.0.0.1:3306" }
                standbys: [ { name: s, address: "127.0.0.1:3307", user: u, password: p } ]
                """, "test.yaml", Map.of(), name -> null);
        view = new ReadinessView(() -> config, () -> Address.parse("127.0.0.1:3306"), this::report, () -> now);
    }

    private ReadinessReport report(
            LoadedConfig loaded, String standby, Address primary, @Nullable ReadinessReport older) {
        made.add(older == null ? "all" : "kept");
        Situation.Round round = new Situation.Round(server(), server());
        Situation situation = new Situation(
                round, round, standby, "p:1", Set.of(), ProxyFigures.NONE, StandbyFigures.NONE, ReadinessGate.LIMITS);
        return new ReadinessReport(
                loaded.config().standbys().get(0),
                situation,
                LagCheck.Lag.of(situation),
                List.of(),
                Duration.ofSeconds(1));
    }

    private static ServerFacts server() {
        ServerFacts facts = new ServerFacts();
        facts.put(ServerFacts.DEFINITIONS, Known.of(new Definitions(new EnumMap<>(DefinitionKind.class), false)));
        return facts;
    }

    @Test
    void aPageGetsAReportOfTheLastHalfMinuteAndDefinitionsOfTheLastMinutes() {
        for (int i = 0; i < 20; i++) {
            view.redacted("s");
            view.recent("s");
            now += SECOND;
        }
        assertThat(made).containsExactly("all");
        assertThat(view.recent("s")).containsEntry("ageSeconds", 20L).containsEntry("definitionsAgeSeconds", 20L);
        now += 10 * SECOND;
        assertThat(view.redacted("s")).containsEntry("ageSeconds", 0L).containsEntry("definitionsAgeSeconds", 30L);
        assertThat(made).containsExactly("all", "kept");
        now += 270 * SECOND;
        view.redacted("s");
        assertThat(made).containsExactly("all", "kept", "all");
    }

    @Test
    void whoHasTheTokenGetsAReportOfNow() {
        view.recent("s");
        now += 31 * SECOND;
        view.recent("s");
        assertThat(view.full("s")).as("its definitions are old").containsEntry("definitionsAgeSeconds", 0L);
        now += 3 * SECOND;
        view.full("s");
        assertThat(made).containsExactly("all", "kept", "all", "all");
        now += SECOND;
        view.full("s");
        assertThat(made).hasSize(4);
    }

    @Test
    void anotherConfigurationIsReadAtOnce() throws Exception {
        view.recent("s");
        view();
        made.clear();
        view.recent("s");
        assertThat(made).containsExactly("all");
    }
}
