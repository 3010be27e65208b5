package example;

import io.micrometer.core.instrument.Counter;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.Interest;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionRefusal;
import io.understudy.sql.StatementSummary;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Ends a session that sends a statement of a listed digest. At a boundary the statement is not sent to the primary.
 * Within a transaction, or pipelined behind another statement, it is executed, and the session ends after it: no
 * replacement for privileges.
 */
public final class RefusedDigestsPlugin implements ProxyPlugin<RefusedDigestsConfig> {
    private static final int ER_QUERY_INTERRUPTED = 1317;

    private volatile Set<Long> refused = Set.of();
    private Counter late;

    @Override
    public String id() {
        return "refused-digests";
    }

    @Override
    public Class<RefusedDigestsConfig> configType() {
        return RefusedDigestsConfig.class;
    }

    @Override
    public void start(PluginContext context, RefusedDigestsConfig config) {
        // Meters are resolved once, never looked up per command. Refusals are counted by the proxy.
        late = Counter.builder("understudy.refused.digests.late")
                .description("Statements of a refused digest that were executed, because they were at no boundary")
                .register(context.meters());
        reload(config);
    }

    @Override
    public void reload(RefusedDigestsConfig config) {
        refused = config.digests().stream()
                .map(digest -> Long.parseUnsignedLong(digest, 16))
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        return new Observer(session);
    }

    @Override
    public void stop() {
        refused = Set.of();
    }

    /** One session's; called by its event loop alone, so it needs no locks. */
    private final class Observer implements SessionObserver {
        private final SessionContext session;
        private boolean ending;

        Observer(SessionContext session) {
            this.session = session;
        }

        @Override
        public int interests() {
            return Interest.BOUNDARY | Interest.COMMANDS;
        }

        /** The command is not sent if the session is refused here. */
        @Override
        public InjectedStatement beforeCommand(CommandView command) {
            refuse(command);
            return null;
        }

        @Override
        public void onCommand(CommandView command) {
            if (refuse(command)) {
                late.increment();
            }
        }

        private boolean refuse(CommandView command) {
            StatementSummary summary = command.isStatement() && !ending ? command.summary() : null;
            if (summary == null || !refused.contains(summary.digest())) {
                return false;
            }
            ending = true;
            String message = "Statements of digest " + summary.digestHex() + " are refused here; ask your DBA";
            session.refuse(new SessionRefusal(id(), "digest", ER_QUERY_INTERRUPTED, "70100", message));
            return true;
        }
    }
}
