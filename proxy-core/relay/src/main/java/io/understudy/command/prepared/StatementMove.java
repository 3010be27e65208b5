package io.understudy.command.prepared;

import io.netty.buffer.ByteBuf;
import io.understudy.command.response.ResponseProgress;
import io.understudy.command.settings.SqlModeSetting;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ServerConnection;
import io.understudy.plugin.ServerResponse;
import io.understudy.protocol.CommandCode;
import io.understudy.wire.Packets;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Prepares a session's statements on another server, all commands being sent at once. A statement prepared under
 * another schema or {@code sql_mode} than the session has now is prepared under its own. On the connection's event
 * loop.
 */
final class StatementMove {
    private final ServerConnection fresh;
    private final boolean attributes;
    private final List<PreparedEntry> entries;
    private final List<TextPrepared.Statement> texts;
    private final PreparedEntry.Preparation present;
    private final Consumer<@Nullable String> then;
    private final int[] ids;
    /** What the commands sent so far make of the connection. */
    private PreparedEntry.Preparation now;

    private int due;
    private @Nullable String failure;

    StatementMove(
            ServerConnection fresh,
            boolean attributes,
            List<PreparedEntry> entries,
            List<TextPrepared.Statement> texts,
            PreparedEntry.Preparation present,
            Consumer<@Nullable String> then) {
        this.fresh = fresh;
        this.attributes = attributes;
        this.entries = entries;
        this.texts = texts;
        this.present = present;
        this.then = then;
        now = present;
        ids = new int[entries.size()];
    }

    /** Returns why one of the statements cannot be prepared anew, or null. */
    static @Nullable String whyNot(Collection<PreparedEntry> entries, PreparedEntry.Preparation present) {
        for (PreparedEntry entry : entries) {
            byte[] text = entry.text();
            if (text == null || text.length >= Packets.MAX_PAYLOAD - 1) {
                return "statement_text";
            }
            if (entry.typesUnread()) {
                return "parameter_types";
            }
            if (!reachable(entry.preparation(), present)) {
                return "statement_settings";
            }
        }
        return null;
    }

    /** Returns whether a connection that has the settings of now can prepare a statement under its own, and go back. */
    static boolean reachable(PreparedEntry.Preparation own, PreparedEntry.Preparation present) {
        // Without a schema all names are qualified. A connection that has one cannot go back to none.
        return own.settingsKnown()
                && present.settingsKnown()
                && Objects.equals(own.characterSet(), present.characterSet())
                && modesReachable(own.sqlMode().settled(), present.sqlMode().settled())
                && (own.schema() == null || present.schema() != null);
    }

    /** The default of the new server may be another one than the session has taken over. */
    private static boolean modesReachable(SqlModeSetting own, SqlModeSetting present) {
        return own.equals(present) || own.adopted() == null && present.adopted() == null;
    }

    void start() {
        due = 1;
        for (int i = 0; i < entries.size(); i++) {
            PreparedEntry entry = entries.get(i);
            become(entry.preparation());
            byte[] text = Objects.requireNonNull(entry.text());
            send(Packets.command(fresh.alloc(), CommandCode.STMT_PREPARE, text), new Prepared(i));
        }
        for (TextPrepared.Statement text : texts) {
            PreparedEntry.Preparation own = Objects.requireNonNull(text.preparation());
            become(new PreparedEntry.Preparation(
                    own.schema(), own.characterSet(), own.sqlMode().settled(), true));
            query(Objects.requireNonNull(text.sql()));
        }
        become(present);
        answered(null);
    }

    private void become(PreparedEntry.Preparation wanted) {
        String schema = wanted.schema();
        if (schema != null && !schema.equals(now.schema())) {
            byte[] name = schema.getBytes(StandardCharsets.UTF_8);
            send(Packets.command(fresh.alloc(), CommandCode.INIT_DB, name), new Answer());
        }
        SqlModeSetting setting = wanted.sqlMode().settled();
        // Two settings that adopt the same mode are both known, or neither is.
        SqlModeSetting before = setting.adopted() == null ? now.sqlMode().settled() : now.sqlMode();
        String mode = setting.expression();
        if (!Objects.equals(mode, before.expression())) {
            String sql = "SET SESSION sql_mode = " + (mode == null ? "DEFAULT" : mode);
            query(sql.getBytes(StandardCharsets.UTF_8));
        }
        now = schema == null
                ? new PreparedEntry.Preparation(now.schema(), wanted.characterSet(), wanted.sqlMode(), true)
                : wanted;
    }

    private void query(byte[] sql) {
        send(Packets.query(fresh.alloc(), sql, attributes), new Answer());
    }

    private void send(ByteBuf command, Answer answer) {
        due++;
        fresh.execute(command, answer);
    }

    /** @param why the failure, or null */
    private void answered(@Nullable String why) {
        failure = failure == null ? why : failure;
        if (--due > 0) {
            return;
        }
        if (failure == null) {
            for (int i = 0; i < ids.length; i++) {
                entries.get(i).moved(ids[i]);
            }
        }
        then.accept(failure);
    }

    private class Answer implements ServerResponse {
        @Override
        public void onResponse(ResponseView response, int preparedId) {
            answered(response.ok() ? null : refused(response));
        }

        static String refused(ResponseView response) {
            return "refused_statement: error " + response.errorCode() + " " + response.errorMessage();
        }

        @Override
        public void onFailure(String reason) {
            answered("server_lost: " + reason);
        }
    }

    private final class Prepared extends Answer {
        private final int number;

        Prepared(int number) {
            this.number = number;
        }

        @Override
        public void onResponse(ResponseView response, int preparedId) {
            if (!response.ok()) {
                answered(refused(response));
                return;
            }
            ids[number] = preparedId;
            ResponseProgress progress = (ResponseProgress) response;
            boolean changed = entries.get(number)
                    .changed(progress.preparedParameters(), progress.preparedColumns(), progress.definitions());
            answered(changed ? "changed_statement" : null);
        }
    }
}
