package io.understudy.plugin;

import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A variable of one session that a plugin sets. Its observer returns it from {@link SessionObserver#variables} and says
 * in {@link SessionObserver#chooseVariables} which value a command needs; the proxy injects the statement, if the
 * session has not got the value already, and sets the variable back to its resting value before the next command that
 * may write and for which no value is wanted. That needs no boundary, so it also happens between pipelined commands.
 *
 * <p>A client that sets the variable itself keeps it until the session is reset. A variable of which the server has
 * refused {@link #MAX_REFUSALS} statements is only set back. Used on the session's event loop.
 */
public final class SessionVariable {
    /** Refusals after which a variable is only set back, until the session is reset. */
    public static final int MAX_REFUSALS = 3;

    /** What happened to the variable. */
    public interface Listener {
        /** Ignores everything. */
        Listener NONE = new Listener() {
            @Override
            public void onResponse(VariableValue value, InjectionResult result) {}

            @Override
            public void onClientSets() {}
        };

        /**
         * Called with the server's response to a statement, after {@link #present} and {@link #confirmed} follow it.
         */
        void onResponse(VariableValue value, InjectionResult result);

        /** Called when the client sets the variable, for the first time since the login or the last reset. */
        void onClientSets();
    }

    /** The word; in a string literal an escaped character may be right before it. */
    private static final Pattern SET = Pattern.compile("(?:(?<!\\w)|\\\\\\w)set(?!\\w)");

    private final List<String> names;
    private final ArrayDeque<VariableValue> inFlight = new ArrayDeque<>(2);
    private Listener listener;
    private VariableValue resting;
    /** What the server has confirmed; null for the session's own value, here and in {@link #present}. */
    private @Nullable VariableValue confirmed;

    private @Nullable VariableValue present;
    private @Nullable VariableValue wanted;
    private int refusals;
    private boolean clients;
    /** Whether the client has set it in a command behind the last reset, which may be in flight. */
    private boolean clientsAfterReset;

    /**
     * @param names the variable, and others that take its effect away, in lower case: a client's statement with a SET
     *     before one of them sets the variable
     * @param resting the value between the commands for which one is wanted
     */
    public SessionVariable(List<String> names, VariableValue resting, Listener listener) {
        this.names = List.copyOf(names);
        this.resting = resting;
        this.listener = listener;
    }

    /** Sets the statement that sets the variable back, which a reload may have changed. */
    public void restAt(VariableValue value) {
        resting = value;
    }

    /**
     * Wants a value for the command that the observer is asked about. Off a boundary only the present one can be kept.
     */
    public void want(VariableValue value) {
        wanted = value;
    }

    /** Wants no change for the command that the observer is asked about. */
    public void keep() {
        wanted = present;
    }

    /**
     * Wants the statement of a value that the session has already, to learn whether the server accepts it. Before the
     * observer is asked about a first command, it is sent right behind the login; the client's commands then wait one
     * round trip for its response.
     */
    public void probe(VariableValue value) {
        wanted = value.probe();
    }

    /** Returns the value once every statement in flight has succeeded; null for the session's own. */
    public @Nullable VariableValue present() {
        return present;
    }

    /** Returns the last value that the server has confirmed; null for the session's own. */
    public @Nullable VariableValue confirmed() {
        return confirmed;
    }

    /** Returns the variable, and others that take its effect away, in lower case. */
    public List<String> names() {
        return names;
    }

    /** Returns whether the plugin has given it another value than the resting one. */
    public boolean isAway() {
        return present != null && present.value() != resting.value() && !clients;
    }

    /** Returns whether the client has set it. */
    public boolean isClients() {
        return clients;
    }

    /** Returns whether it is only set back, because it is the client's or the server has refused it too often. */
    public boolean isLeftAlone() {
        return clients || refusals >= MAX_REFUSALS;
    }

    /** Returns the text of a command that may set variables, in lower case, or null. Called by the proxy. */
    public static @Nullable String settingText(CommandView command) {
        StatementKind kind = command.kind();
        StatementSummary summary = command.isStatement() ? command.summary() : null;
        boolean may = kind == StatementKind.SET
                || kind == StatementKind.EXECUTE
                || kind == StatementKind.PREPARE
                || summary != null && (summary.kind() == StatementKind.MULTI || summary.kind() == StatementKind.SET);
        String text = may ? command.text() : null;
        return text == null ? null : text.toLowerCase(Locale.ROOT);
    }

    /** Returns whether a SET comes before one of the names; a text that only reads the variable has none. */
    private boolean isSetIn(String settingText) {
        Matcher set = SET.matcher(settingText);
        return set.find() && names.stream().anyMatch(name -> settingText.indexOf(name, set.end()) >= 0);
    }

    /**
     * Returns the statement to inject ahead of a command, or null. Called by the proxy.
     *
     * @param settingText of the command, see {@link #settingText}
     */
    public @Nullable InjectedStatement ahead(@Nullable String settingText, boolean atBoundary) {
        VariableValue next = settingText != null && isSetIn(settingText) ? null : wanted;
        wanted = null;
        boolean has = next != null && present != null && present.value() == next.value();
        if (next != null && next.isProbe() && present != null && !has) {
            next = null; // it would change the value
        }
        if (next == null || !atBoundary || isLeftAlone()) {
            next = isAway() && !has ? resting : null;
        } else if (has && !next.isProbe()) {
            next = null;
        }
        if (next == null) {
            return null;
        }
        inFlight.add(next);
        present = next.isProbe() ? present : next;
        return next.statement();
    }

    /** Called by the proxy when a command of the client's is sent. */
    public void sent(String settingText) {
        if (isSetIn(settingText)) {
            clientsAfterReset = true;
            if (!clients) {
                clients = true;
                listener.onClientSets();
            }
        }
    }

    /** Called by the proxy when a command is sent that resets the session's variables. */
    public void resetSent() {
        clientsAfterReset = false;
    }

    /** Called by the proxy with each response to an injected statement. Returns whether it was this variable's. */
    public boolean responded(InjectedStatement statement, InjectionResult result) {
        VariableValue value = inFlight.peek();
        if (value == null || !value.statement().equals(statement)) {
            return false;
        }
        inFlight.remove();
        if (!result.ok()) {
            refusals++;
            settle();
        } else if (!value.isProbe()) {
            confirmed = value;
        }
        listener.onResponse(value, result);
        return true;
    }

    private void settle() {
        present = confirmed;
        for (VariableValue later : inFlight) {
            present = later.isProbe() ? present : later;
        }
    }

    /** Called by the proxy when the server has reset the session's variables. */
    public void reset() {
        confirmed = null;
        refusals = 0;
        clients = clientsAfterReset;
        settle();
    }

    /** Called by the proxy when the plugin has left the session: the variable is only set back. */
    public void release() {
        listener = Listener.NONE;
        wanted = null;
    }
}
