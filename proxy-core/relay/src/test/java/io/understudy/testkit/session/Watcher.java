package io.understudy.testkit.session;

import io.understudy.command.Exchange;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.Interest;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionVariable;
import io.understudy.plugin.VariableValue;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records an observer's callbacks. */
public class Watcher implements SessionObserver {
    public static final int ALL = Interest.COMMANDS | Interest.STATEMENTS | Interest.RESPONSES;

    /** The figures of a response at its end. */
    public record Seen(int code, int error, int status, long affected, long rows, int preparedId) {}

    public final List<Integer> commands = new ArrayList<>();
    public final List<@Nullable String> texts = new ArrayList<>();
    public final List<Seen> responses = new ArrayList<>();
    public final List<@Nullable String> gtids = new ArrayList<>();
    public final List<InjectionResult> injected = new ArrayList<>();
    public final List<String> closings = new ArrayList<>();
    public int resets;
    public int beforeCommandCalls;

    /** The statement to inject before the next statements. */
    public @Nullable InjectedStatement next;

    private @Nullable SessionVariable variable;

    private final int interests;
    private int interestCalls;

    public Watcher(int interests) {
        this.interests = interests;
    }

    public int interestCalls() {
        return interestCalls;
    }

    @Override
    public int interests() {
        interestCalls++;
        return interests;
    }

    @Override
    public void onCommand(CommandView command) {
        commands.add(command.code());
        texts.add(command.text());
    }

    @Override
    public void onResponse(CommandView command, ResponseView response) {
        gtids.add(response.gtid());
        responses.add(new Seen(
                command.code(),
                response.errorCode(),
                response.status(),
                response.affectedRows(),
                response.rows(),
                ((Exchange) response).preparedId()));
    }

    /** Sets the statement of a variable that is probed right behind the login. */
    public void probeFirst(String sql) {
        VariableValue value = new VariableValue(0, sql, "probe");
        variable = new SessionVariable(List.of("probed"), value, new SessionVariable.Listener() {
            @Override
            public void onResponse(VariableValue probed, InjectionResult result) {
                injected.add(result);
            }

            @Override
            public void onClientSets() {}
        });
        variable.probe(value);
    }

    @Override
    public List<SessionVariable> variables() {
        return variable == null ? List.of() : List.of(variable);
    }

    @Override
    public @Nullable InjectedStatement beforeCommand(CommandView command) {
        beforeCommandCalls++;
        return next;
    }

    @Override
    public void onInjected(InjectedStatement statement, InjectionResult result) {
        injected.add(result);
    }

    @Override
    public void onReset() {
        resets++;
    }

    @Override
    public void onClose(String reason) {
        closings.add(reason);
    }
}
