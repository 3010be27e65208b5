package io.understudy.plugins.querylog;

import io.micrometer.core.instrument.FunctionCounter;
import io.understudy.plugin.DigestNotes;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.PluginRun;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.querylog.digests.DigestTable;
import io.understudy.plugins.querylog.digests.DigestsView;
import io.understudy.plugins.querylog.stream.SlowLogStream;
import io.understudy.plugins.querylog.stream.StatementEvents;
import io.understudy.rules.RuleSet;
import java.time.Clock;

/** The work of {@link QueryLogPlugin} from its start to its stop: the table of digests and the stream. */
final class RunningQueryLog implements PluginRun<QueryLogConfig> {
    private final PluginContext context;
    private final Clock clock;
    private final DigestTable table;
    private final SlowLogStream stream;
    private final DigestNotes notes;
    private volatile RuleSet<QueryLogConfig.Rule> rules;

    RunningQueryLog(PluginContext context, QueryLogConfig config) {
        this.context = context;
        clock = context.clock();
        table = new DigestTable(config.digests(), clock, System::nanoTime);
        stream = new SlowLogStream(config.stream(), context.meters());
        notes = context.shared(DigestNotes.class, shared -> new DigestNotes());
        rules = rules(config);
    }

    @Override
    public void start() {
        FunctionCounter.builder("understudy.digests.evicted", table, DigestTable::evicted)
                .description("Digests that gave their place to newer ones")
                .register(context.meters());
        context.publish("digests", () -> DigestsView.of(table, notes, true), () -> DigestsView.of(table, notes, false));
        context.publishStream("slowlog", stream);
    }

    private static RuleSet<QueryLogConfig.Rule> rules(QueryLogConfig config) {
        return new RuleSet<>(config.rules(), QueryLogConfig.Rule::name, QueryLogConfig.Rule::match);
    }

    @Override
    public void reload(QueryLogConfig config) {
        RuleSet<QueryLogConfig.Rule> next = rules(config);
        table.capacity(config.digests());
        stream.config(config.stream());
        rules = next;
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        return new QueryLogObserver(this, session, new StatementEvents(stream, session, clock));
    }

    @Override
    public void stop() {
        stream.stop();
    }

    DigestTable table() {
        return table;
    }

    /** Returns whether a client reads the stream. */
    boolean streamed() {
        return stream.active();
    }

    RuleSet<QueryLogConfig.Rule> rules() {
        return rules;
    }
}
