package io.understudy.it;

import io.understudy.plugin.CommandView;
import io.understudy.plugin.Outcome;
import io.understudy.plugin.PluginContext;
import io.understudy.plugin.ProxyPlugin;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugins.blackbox.BlackBoxConfig;
import io.understudy.plugins.blackbox.BlackBoxPlugin;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The black box, which is asked for the outcome of each statement with a mark as soon as that is sent, and is not shown
 * the response: as if it had been lost.
 */
final class UnansweredPlugin implements ProxyPlugin<BlackBoxConfig> {
    private static final String MARK = "/* lost ";

    /** How long the outcome is waited for. */
    Duration patience = Duration.ofSeconds(60);

    private final BlackBoxPlugin box = new BlackBoxPlugin();
    private final Map<String, CompletableFuture<Outcome>> outcomes = new ConcurrentHashMap<>();

    /** Returns the mark for a statement's text, which also names the transaction. */
    static String mark(String name) {
        return MARK + name + " */ " + token(name);
    }

    /** Returns the name of the transaction, for the text of one of its statements that write. */
    static String token(String name) {
        return "/* understudy:txn=" + name + " */ ";
    }

    /** Returns the outcome of the statement with that mark, once it was sent. */
    CompletableFuture<Outcome> outcome(String name) {
        return outcomes.computeIfAbsent(name, added -> new CompletableFuture<>());
    }

    @Override
    public String id() {
        return "unanswered";
    }

    @Override
    public Class<BlackBoxConfig> configType() {
        return BlackBoxConfig.class;
    }

    @Override
    public void start(PluginContext context, BlackBoxConfig config) throws Exception {
        box.start(context, config);
    }

    @Override
    public void reload(BlackBoxConfig config) {}

    @Override
    public void stop() {
        box.stop();
    }

    @Override
    public int possibleInterests() {
        return box.possibleInterests();
    }

    @Override
    public SessionObserver openSession(SessionContext session) {
        SessionObserver observer = box.openSession(session);
        return new SessionObserver() {
            private long lost;

            @Override
            public int interests() {
                return observer.interests();
            }

            @Override
            public void onCommand(CommandView command) {
                observer.onCommand(command);
                String text = command.text();
                if (command.isStatement() && text != null && text.contains(MARK)) {
                    lost = command.number();
                    String name = text.substring(text.indexOf(MARK) + MARK.length());
                    ask(command, name.substring(0, name.indexOf(' ')));
                }
            }

            private void ask(CommandView command, String name) {
                @Nullable CompletionStage<Outcome> stage = observer.outcomeOf(command, patience);
                Objects.requireNonNull(stage).thenAccept(each -> outcome(name).complete(each));
            }

            @Override
            public void onResponse(CommandView command, ResponseView response) {
                if (command.number() != lost) {
                    observer.onResponse(command, response);
                }
            }

            @Override
            public void onReset() {
                observer.onReset();
            }

            @Override
            public void onMoved() {
                observer.onMoved();
            }

            @Override
            public void onClose(String reason) {
                observer.onClose(reason);
            }
        };
    }
}
