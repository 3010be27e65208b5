package io.understudy.plugins.gtiddomain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.config.ConfigException;
import io.understudy.config.ConfigLoader;
import io.understudy.config.bind.problem.Problem;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.steering.DomainRule;
import io.understudy.plugins.gtiddomain.steering.Lever;
import io.understudy.plugins.gtiddomain.tagging.Guard;
import io.understudy.plugins.gtiddomain.tagging.Mode;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class GtidDomainConfigTest {

    static GtidDomainConfig load(String section) throws ConfigException {
        String text = "primary: { address: \"127.0.0.1:3306\" }\nplugins:\n  gtid-domain:\n" + section.indent(4);
        return (GtidDomainConfig) Objects.requireNonNull(
                ConfigLoader.load(text, "test.yaml", Map.of("gtid-domain", GtidDomainConfig.class), name -> null)
                        .plugins()
                        .get("gtid-domain"));
    }

    @Test
    void anEmptySectionAdvisesAndPins() throws Exception {
        GtidDomainConfig config = load("");

        assertThat(config.mode()).isEqualTo(Mode.ADVISE);
        assertThat(config.guard()).isEqualTo(Guard.PIN);
        assertThat(config.defaultDomain()).isZero();
        assertThat(config.learn()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.rules()).isEmpty();
    }

    @Test
    void rulesAreBoundWithTheirMatches() throws Exception {
        GtidDomainConfig config = load("""
                mode: tag
                guard: warn
                procedure: tools.set_domain
                rules:
                  - { name: schema-changes, match: { kind: ddl, user: ["app_*", "!app_x"] }, domain: 10 }
                  - { name: rest, domain: 4294967295 }
                """);

        assertThat(config.rules()).extracting(DomainRule::name).containsExactly("schema-changes", "rest");
        assertThat(config.rules().get(0).match().user()).hasSize(2);
        assertThat(config.rules().get(1).domain()).isEqualTo(DomainRule.MAX_DOMAIN);
    }

    @Test
    void everyMistakeIsReportedAtItsPlace() {
        assertThatThrownBy(() -> load("""
                poll: 1ms
                maxTables: 0
                procedure: "drop table"
                rules:
                  - { name: a, domain: 1 }
                  - { name: a, domain: 2 }
                """))
                .isInstanceOfSatisfying(
                        ConfigException.class,
                        e -> assertThat(e.problems())
                                .extracting(Problem::headline)
                                .satisfiesExactlyInAnyOrder(
                                        line -> assertThat(line).contains("expected 10ms to 60s but found 1ms"),
                                        line -> assertThat(line).contains("expected 1 to 1000000 but found 0"),
                                        line -> assertThat(line)
                                                .contains("expected schema.procedure but found 'drop table'"),
                                        line -> assertThat(line).contains("'a' is taken by an earlier rule")));
        assertThatThrownBy(() -> load("rules: [ { name: a, domain: -1 } ]"))
                .hasMessageContaining("expected 0 to 4294967295 but found -1");
        assertThatThrownBy(() -> load("rules: [ { match: { kind: ddl } } ]"))
                .hasMessageContaining("what metrics and the log call the rule");
    }

    @Test
    void aRuleHasAtLeastOneAction() throws Exception {
        assertThatThrownBy(() -> load("rules: [ { name: a, match: { kind: ddl } } ]"))
                .hasMessageContaining("expected an action: 'alter: two-phase', 'parallel: skip' or 'domain: N'");
        assertThatThrownBy(() -> load("rules: [ { name: a, alter: two-phas } ]"))
                .hasMessageContaining("did you mean 'two-phase'?");
        GtidDomainConfig levers =
                load("rules: [ { name: a, alter: two-phase }, { name: b, alter: two-phase, parallel: skip } ]");
        assertThat(levers.usesDomains()).isFalse();
        assertThat(levers.leverRules(Lever.TWO_PHASE))
                .extracting(DomainRule::name)
                .containsExactly("a", "b");
        assertThat(levers.leverRules(Lever.SKIP_PARALLEL))
                .extracting(DomainRule::name)
                .containsExactly("b");
        assertThat(load("rules: [ { name: a, alter: two-phase }, { name: b, domain: 7 } ]")
                        .domainRules())
                .extracting(DomainRule::name)
                .containsExactly("b");
    }

    @Test
    void moreDomainsThanAReplicaHasUseForAreRefused() {
        StringBuilder rules = new StringBuilder("rules:\n");
        for (int domain = 1; domain <= DomainIndexes.MAX; domain++) {
            rules.append("  - { name: r")
                    .append(domain)
                    .append(", domain: ")
                    .append(domain)
                    .append(" }\n");
        }
        assertThatThrownBy(() -> load(rules.toString())).hasMessageContaining("at most 15 different domains");
    }

    @Test
    void theServiceLoaderFindsThePlugin() {
        assertThat(ServiceLoader.load(ProxyPlugin.class))
                .anySatisfy(plugin -> assertThat(plugin.id()).isEqualTo("gtid-domain"));
    }
}
