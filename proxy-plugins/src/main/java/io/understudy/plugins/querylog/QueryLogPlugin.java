package io.understudy.plugins.querylog;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.querylog.digests.DigestTable;
import io.understudy.plugins.querylog.digests.DigestsView;
import io.understudy.plugins.querylog.stream.SlowLogStream;
import io.understudy.plugins.querylog.stream.StatementEvents;
import io.understudy.rules.RuleSet;
import java.time.Clock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Plugin {@code query-log}: figures for each digest at {@code /api/digests}, and the live stream at {@code /slowlog}.
 */
public final class QueryLogPlugin implements ProxyPlugin<QueryLogConfig> {
    private volatile @Nullable DigestTable table;
    private volatile @Nullable SlowLogStream stream;
    private volatile RuleSet<QueryLogConfig.Rule> rules = rules(new QueryLogConfig(null, null, null, null, null));
    private Clock clock = Clock.systemUTC();

    @Override
    public String id() {
        return "query-log";
    }

    @Override
    public Class<QueryLogConfig> configType() {
        return QueryLogConfig.class;
    }

    private static RuleSet<QueryLogConfig.Rule> rules(QueryLogConfig config) {
        return new RuleSet<>(config.rules(), QueryLogConfig.Rule::name, QueryLogConfig.Rule::match);
    }

    @Override
    public void start(PluginContext context, QueryLogConfig config) {
        clock = context.clock();
        DigestTable digests = new DigestTable(config.digests(), clock, System::nanoTime);
        SlowLogStream slowLog = new SlowLogStream(config, context.meters());
        table = digests;
        stream = slowLog;
        rules = rules(config);
        Gauge.builder("understudy.digests", digests, DigestTable::size)
                .description("Digests with figures of their own")
                .register(context.meters());
        FunctionCounter.builder("understudy.digests.evicted", digests, DigestTable::evicted)
                .description("Digests that gave their place to newer ones")
                .register(context.meters());
        context.publish("digests", () -> DigestsView.of(digests, true), () -> DigestsView.of(digests, false));
        context.publishStream("slowlog", slowLog);
    }

    @Override
    public void reload(QueryLogConfig config) {
        RuleSet<QueryLogConfig.Rule> next = rules(config);
        table().capacity(config.digests());
        Objects.requireNonNull(stream, "not started").config(config);
        rules = next;
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        SlowLogStream slowLog = stream;
        return slowLog == null
                ? SessionObserver.NONE
                : new QueryLogObserver(this, session, new StatementEvents(slowLog, session, clock));
    }

    @Override
    public void stop() {
        SlowLogStream slowLog = stream;
        if (slowLog != null) {
            slowLog.stop();
        }
    }

    DigestTable table() {
        return Objects.requireNonNull(table, "not started");
    }

    boolean streamed() {
        SlowLogStream slowLog = stream;
        return slowLog != null && slowLog.active();
    }

    RuleSet<QueryLogConfig.Rule> rules() {
        return rules;
    }
}
