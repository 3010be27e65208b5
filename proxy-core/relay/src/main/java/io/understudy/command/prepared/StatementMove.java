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
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
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
    private final int[] ids;
    /** What the commands sent so far make of the connection. */
    private PreparedEntry.Preparation now;

    /** Of each command sent, why it has failed, or null. */
    private final List<CompletableFuture<@Nullable String>> sent = new ArrayList<>();

    StatementMove(
            ServerConnection fresh,
            boolean attributes,
            List<PreparedEntry> entries,
            List<TextPrepared.Statement> texts,
            PreparedEntry.Preparation present) {
        this.fresh = fresh;
        this.attributes = attributes;
        this.entries = entries;
        this.texts = texts;
        this.present = present;
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

    /** Returns the first failure, or null. */
    CompletableFuture<@Nullable String> start() {
        for (int i = 0; i < entries.size(); i++) {
            int number = i;
            PreparedEntry entry = entries.get(i);
            become(entry.preparation());
            byte[] text = Objects.requireNonNull(entry.text());
            send(Packets.command(fresh.alloc(), CommandCode.STMT_PREPARE, text), (response, id) -> {
                ids[number] = id;
                ResponseProgress progress = (ResponseProgress) response;
                return entry.changed(progress.preparedParameters(), progress.preparedColumns(), progress.definitions())
                        ? "changed_statement"
                        : null;
            });
        }
        for (TextPrepared.Statement text : texts) {
            PreparedEntry.Preparation own = Objects.requireNonNull(text.preparation());
            become(new PreparedEntry.Preparation(
                    own.schema(), own.characterSet(), own.sqlMode().settled(), true));
            query(Objects.requireNonNull(text.sql()));
        }
        become(present);
        return CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).thenApply(done -> {
            for (CompletableFuture<@Nullable String> each : sent) {
                String failure = each.join();
                if (failure != null) {
                    return failure;
                }
            }
            for (int i = 0; i < ids.length; i++) {
                entries.get(i).moved(ids[i]);
            }
            return null;
        });
    }

    private void become(PreparedEntry.Preparation wanted) {
        String schema = wanted.schema();
        if (schema != null && !schema.equals(now.schema())) {
            byte[] name = schema.getBytes(StandardCharsets.UTF_8);
            send(Packets.command(fresh.alloc(), CommandCode.INIT_DB, name), (response, id) -> null);
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
        send(Packets.query(fresh.alloc(), sql, attributes), (response, id) -> null);
    }

    /** @param whenOk returns why a response without an error is a failure, or null */
    private void send(ByteBuf command, BiFunction<ResponseView, Integer, @Nullable String> whenOk) {
        CompletableFuture<@Nullable String> failure = new CompletableFuture<>();
        sent.add(failure);
        fresh.execute(command, new ServerResponse() {
            @Override
            public void onResponse(ResponseView response, int preparedId) {
                failure.complete(
                        response.ok()
                                ? whenOk.apply(response, preparedId)
                                : "refused_statement: error " + response.errorCode() + " " + response.errorMessage());
            }

            @Override
            public void onFailure(String reason) {
                failure.complete("server_lost: " + reason);
            }
        });
    }
}
