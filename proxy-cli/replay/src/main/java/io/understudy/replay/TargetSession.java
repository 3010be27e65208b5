package io.understudy.replay;

import io.netty.buffer.ByteBuf;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import io.understudy.protocol.CommandCode;
import io.understudy.replay.ReplayConnection.DueStatement;
import io.understudy.replay.log.LogEvent;
import io.understudy.replay.log.WriteSettings;
import io.understudy.servers.Dialect;
import io.understudy.sql.FirstKeyword;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The session of a connection to the target as far as statements depend on it: settings, schema, prepared statements.
 * Brings it, step by step, to where the next statement needs it. Confined to the connection's loop.
 */
final class TargetSession {
    /** The servers' error for more prepared statements than all sessions together may have. */
    private static final int TOO_MANY_PREPARED = 1461;

    private final Playing playing;
    private final ReplayConnection steps;
    private final PreparedIds prepared;
    private @Nullable String schema;
    private @Nullable String settings;
    /** The resets of the session that the settings have taken account of. */
    private int resets;

    /** @param steps goes on when a step is done, or its statement cannot be played */
    TargetSession(Playing playing, ReplayConnection steps) {
        this.playing = playing;
        this.steps = steps;
        this.prepared = new PreparedIds(playing.prepared());
    }

    /** Begins a new connection's session. */
    void begin() {
        schema = null;
        settings = null;
        prepared.clear();
    }

    /** Leaves the places of its prepared statements to others. The connection is closed. */
    void end() {
        prepared.clear();
    }

    /** Returns the id of the text of an execution that {@link #prepares} has let pass. */
    int preparedId(LogEvent event) {
        return Objects.requireNonNull(prepared.of(schema, event.text()));
    }

    /**
     * Called for each text that is sent. One that may change the schema, such as a {@code USE} that failed for the
     * client and succeeds here, leaves it unknown: the next statement selects its own.
     */
    void executes(byte[] text) {
        if (playing.readsOnly()) {
            return;
        }
        boolean mayChange = switch (FirstKeyword.of(text, 0, text.length)) {
            case USE, DROP, CREATE, ALTER -> true;
            default -> mayHaveSeveral(text);
        };
        if (mayChange) {
            schema = null;
        }
    }

    /** Returns whether the text may have several statements, of which any may change the schema. */
    private static boolean mayHaveSeveral(byte[] text) {
        for (byte b : text) {
            if (b == ';') {
                return true;
            }
        }
        return false;
    }

    /** Begins what the statement needs first, or returns false if it can be sent. */
    boolean prepares(ServerConnection open, DueStatement next) {
        LogEvent event = next.event();
        String assignments = event.settings();
        if (assignments != null && (!assignments.equals(settings) || wasReset(event))) {
            adopt(open, next, assignments);
            return true;
        }
        String wanted = event.schema();
        if (wanted != null && !wanted.equals(schema)) {
            use(open, next, wanted);
            return true;
        }
        if (event.execution() != null && prepared.of(schema, event.text()) == null) {
            prepare(open, next, true);
            return true;
        }
        return false;
    }

    /** Returns whether the client has reset its session since this connection took over its settings. */
    private boolean wasReset(LogEvent event) {
        WriteSettings writing = event.writing();
        return !playing.readsOnly() && writing != null && writing.resets() != resets;
    }

    /**
     * Gives the connection the session's settings. One that only reads is reset before, and told after them that it
     * must not write: they come from a file. Where everything is played, the session's own SET statements have been
     * played, and a reset would roll its transaction back and drop its temporary tables: it gets one only where the
     * client reset its session.
     */
    private void adopt(ServerConnection open, DueStatement statement, String assignments) {
        WriteSettings writing = statement.event().writing();
        String further = writing == null ? null : writing.assignments();
        if (!CapturedSettings.areOfTheSessionAlone(assignments)
                || further != null && !CapturedSettings.areOfTheSessionAlone(further)) {
            playing.figures().leftOut("settings_of_the_server");
            steps.onLoop(() -> steps.givenUp(statement));
            return;
        }
        List<ByteBuf> commands = new ArrayList<>();
        boolean begins = settings == null;
        if (!begins && (playing.readsOnly() || wasReset(statement.event()))) {
            begins = true;
            commands.add(TargetLogin.command(open, CommandCode.RESET_CONNECTION, new byte[0]));
            prepared.clear();
            schema = null;
        } else {
            // Under another sql_mode or character set the same text is another statement.
            prepared.clear().forEach(one -> close(open, one));
        }
        commands.add(TargetLogin.query(open, "SET " + assignments));
        if (playing.readsOnly()) {
            Dialect.READ_ONLY_SESSION.forEach(sql -> commands.add(TargetLogin.query(open, sql)));
        } else if (writing != null && begins) {
            if (writing.transaction() != null) {
                commands.add(TargetLogin.query(open, "SET SESSION TRANSACTION " + writing.transaction()));
            }
            if (further != null) {
                commands.add(TargetLogin.query(open, "SET " + further));
            }
        }
        resets = writing == null ? 0 : writing.resets();
        Adoption adoption = new Adoption(statement, assignments, commands.size());
        commands.forEach(command -> open.execute(command, new LoopResponse(adoption::done, adoption::lost)));
    }

    /** Selects the statement's schema. In another one, the same text is another statement: an error gives it up. */
    private void use(ServerConnection open, DueStatement statement, String wanted) {
        LoopResponse response = new LoopResponse(
                (error, none) -> {
                    if (error == 0) {
                        schema = wanted;
                        steps.ready();
                    } else {
                        playing.figures().refused("schema", error);
                        steps.givenUp(statement);
                    }
                },
                () -> steps.lostAhead(statement));
        open.execute(TargetLogin.command(open, CommandCode.INIT_DB, wanted.getBytes(StandardCharsets.UTF_8)), response);
    }

    private void prepare(ServerConnection open, DueStatement statement, boolean again) {
        byte[] text = statement.event().text();
        LoopResponse response = new LoopResponse(
                (error, id) -> {
                    if (error == 0) {
                        Integer evicted = prepared.add(schema, text, id);
                        if (evicted != null) {
                            close(open, evicted);
                        }
                        steps.ready();
                    } else if (error == TOO_MANY_PREPARED && again) {
                        prepared.clear().forEach(one -> close(open, one));
                        prepare(open, statement, false);
                    } else {
                        playing.figures().refused("prepare", error);
                        steps.givenUp(statement);
                    }
                },
                () -> steps.lostAhead(statement));
        open.execute(TargetLogin.command(open, CommandCode.STMT_PREPARE, text), response);
    }

    private static void close(ServerConnection open, int id) {
        open.send(TargetLogin.command(open, CommandCode.STMT_CLOSE, new byte[] {
            (byte) id, (byte) (id >>> 8), (byte) (id >>> 16), (byte) (id >>> 24)
        }));
    }

    /** The responses to the commands that set a session's settings. */
    private final class Adoption {
        private final DueStatement statement;
        private final String assignments;
        private int pending;
        private int refused;
        private boolean failed;

        Adoption(DueStatement statement, String assignments, int pending) {
            this.statement = statement;
            this.assignments = assignments;
            this.pending = pending;
        }

        void done(int error, int none) {
            refused = refused == 0 ? error : refused;
            if (--pending > 0 || failed) {
                return;
            }
            if (refused != 0) {
                settings = "";
                playing.figures().refused("settings", refused);
                steps.givenUp(statement);
            } else {
                settings = assignments;
                steps.ready();
            }
        }

        void lost() {
            if (!failed) {
                failed = true;
                steps.lostAhead(statement);
            }
        }
    }

    /**
     * The response to a command that prepares a statement's session. Its outcome is told on the connection's own loop.
     */
    private final class LoopResponse implements ServerResponse {
        private final BiConsumer<Integer, Integer> outcome;
        private final Runnable lost;

        /** @param outcome gets the error's number, or 0, and the id of a statement that was prepared */
        LoopResponse(BiConsumer<Integer, Integer> outcome, Runnable lost) {
            this.outcome = outcome;
            this.lost = lost;
        }

        @Override
        public void onResponse(ResponseView response, int preparedId) {
            int error = response.errorCode();
            steps.onLoop(() -> outcome.accept(error, preparedId));
        }

        @Override
        public void onFailure(String reason) {
            steps.onLoop(lost);
        }
    }

    /**
     * The ids of the statements that one connection has prepared, in a number that is bounded for each connection and
     * for all of them. A server resolves a statement's names when it is prepared, so a text is another statement in
     * another schema.
     */
    private static final class PreparedIds {
        /** A statement; its schema is null where none was selected. */
        private record Key(@Nullable String schema, ByteBuffer text) {}

        private static final int MOST = 256;

        private final PreparedBudget budget;
        /** The one that was not used for longest first. */
        private final LinkedHashMap<Key, Integer> ids = new LinkedHashMap<>(16, 0.75f, true);

        PreparedIds(PreparedBudget budget) {
            this.budget = budget;
        }

        /** Returns the id of a text, or null if it is not prepared. */
        @Nullable
        Integer of(@Nullable String schema, byte[] text) {
            return ids.get(new Key(schema, ByteBuffer.wrap(text)));
        }

        /** Adds a statement. Returns the id of the one that makes room for it and is to be closed, or null. */
        @Nullable
        Integer add(@Nullable String schema, byte[] text, int id) {
            Integer evicted = null;
            if (ids.isEmpty()) {
                budget.takeFirst();
            } else if (ids.size() == MOST || !budget.take()) {
                Iterator<Integer> oldest = ids.values().iterator();
                evicted = oldest.next();
                oldest.remove();
            }
            ids.put(new Key(schema, ByteBuffer.wrap(text)), id);
            return evicted;
        }

        /** Forgets all, and returns their ids. */
        List<Integer> clear() {
            List<Integer> all = new ArrayList<>(ids.values());
            ids.clear();
            budget.giveBack(all.size());
            return all;
        }
    }
}
