package io.understudy.plugins.gtiddomain;

import io.understudy.plugin.CheckedServer;
import io.understudy.plugin.ExplainedStatement;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginDecision;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.RunningPlugin;
import io.understudy.plugins.gtiddomain.steering.DomainRule;
import io.understudy.plugins.gtiddomain.steering.Lever;
import io.understudy.rules.RuleSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The plugin {@code gtid-domain}. */
public final class GtidDomainPlugin extends RunningPlugin<GtidDomainConfig> {
    @Override
    public String id() {
        return "gtid-domain";
    }

    @Override
    public Class<GtidDomainConfig> configType() {
        return GtidDomainConfig.class;
    }

    @Override
    public void check(GtidDomainConfig config, CheckedServer server) throws SQLException {
        new DomainCheck(config, server).run();
    }

    @Override
    public List<String> monitorPrivileges(GtidDomainConfig config) {
        List<String> privileges = new ArrayList<>();
        if (config.binlog()) {
            privileges.add("REPLICATION SLAVE");
        }
        if (config.usesDomains()) {
            privileges.addAll(List.of("PROCESS", "SELECT", "TRIGGER", "SHOW VIEW", "EVENT", "SHOW CREATE ROUTINE"));
        }
        return privileges;
    }

    @Override
    public PluginDecision explain(@Nullable GtidDomainConfig config, ExplainedStatement statement) {
        DomainExplanation domain =
                config == null || !config.usesDomains() ? null : DomainExplanation.of(config, statement);
        List<Object> actions = new ArrayList<>();
        List<PluginDecision.Line> lines = new ArrayList<>();
        lines.add(new PluginDecision.Line("domain", domain == null ? DomainExplanation.AS_IT_IS : domain.text()));
        for (Lever lever : Lever.values()) {
            List<DomainRule> rules = config == null ? List.of() : config.leverRules(lever);
            if (!rules.isEmpty()) {
                explain(lever, rules, statement, actions, lines);
            }
        }
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("domain", domain == null ? null : domain.domain());
        fields.put("domainRule", domain == null ? null : domain.rule());
        fields.put("actions", actions);
        return new PluginDecision(fields, lines);
    }

    private static void explain(
            Lever lever,
            List<DomainRule> rules,
            ExplainedStatement statement,
            List<Object> actions,
            List<PluginDecision.Line> lines) {
        String rule = new RuleSet<>(rules, DomainRule::name, DomainRule::match)
                .explain(statement)
                .rule();
        String reason = rule == null ? "no rule matches" : lever.gap(statement);
        Map<String, @Nullable Object> action = new LinkedHashMap<>();
        action.put("action", lever.action());
        action.put("applies", reason.isEmpty());
        action.put("rule", rule);
        action.put("reason", reason);
        actions.add(action);
        lines.add(new PluginDecision.Line(
                "action",
                lever.action() + ": " + (reason.isEmpty() ? "yes" : "no, " + reason)
                        + (rule == null ? "" : " (rule " + rule + ")")));
    }

    @Override
    protected PluginRun<GtidDomainConfig> create(PluginContext context, GtidDomainConfig config) {
        return new RunningSteering(context, config);
    }
}
