package io.understudy.command;

import io.netty.buffer.ByteBuf;
import io.understudy.command.prepared.ExecuteBody;
import io.understudy.command.prepared.InsertIdChange;
import io.understudy.command.prepared.PreparedEntry;
import io.understudy.command.prepared.TextPrepared;
import io.understudy.command.settings.FollowedState;
import io.understudy.command.settings.SettingsModel;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.LockChange;
import io.understudy.sql.SetStatement;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Determines how a command will change the session if it succeeds: schema, settings, prepared statements. Does no more
 * than the interests of the observers require: without interest in statements, only their kinds.
 */
final class CommandEffects {
    /** Bytes of a BEGIN that has nothing behind it. */
    private static final int BEGIN_ALONE = 5;

    private static final int ID_OFFSET = 1;
    private static final int ID_END = 5;
    private static final int SET_OPTION_LENGTH = 3;
    private static final String CREATE_TABLE = "CREATE TABLE";
    private static final String DROP_TABLE = "DROP TABLE";

    // Clients choose the texts: the time that these take must not grow faster than the length. So there is no \b here,
    // nor in other patterns for such texts: at each combining mark it walks back over all marks before it.
    /** Behind a function's name, which may be quoted. A comment there is not read. */
    private static final String NAME_ENDS = "[`\"]?+\\s*+(?:/\\*|\\*/|--|#|\\(";

    /** LAST_INSERT_ID with an argument; without a change of rows, no OK packet reports it. */
    private static final Pattern INSERT_ID_SET =
            Pattern.compile("last_insert_id" + NAME_ENDS + "\\s*+[^\\s)])", Pattern.CASE_INSENSITIVE);

    private static final Pattern FLUSH_STATUS = Pattern.compile(
            "(?>.*?(?<!\\w)FLUSH(?!\\w)).*?(?<!\\w)STATUS(?!\\w)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final Pattern USER_LOCK =
            Pattern.compile("(service_)?+get_(?:(?:read|write)_)?+locks?+" + NAME_ENDS + ")", Pattern.CASE_INSENSITIVE);

    private final SessionModel model;
    private final boolean statements;
    /** Whether texts are read at all: for observers, or to move the session. */
    private final boolean follows;

    CommandEffects(SessionModel model, boolean statements) {
        this.model = model;
        this.statements = statements;
        follows = statements || model.movable();
        if (model.movable()) {
            model.settingsModel().followed().begin();
        }
    }

    /** Determines kind and effect of the command. {@code buf} is null for commands of which no bytes were requested. */
    void recognise(Exchange exchange, @Nullable ByteBuf buf, int index, int length) {
        if (buf == null) {
            return;
        }
        switch (exchange.code()) {
            case CommandCode.QUERY -> {
                query(exchange, length);
                exchange.setLocks(lockChange(exchange), mayBeSeveral());
                if (exchange.kind() == StatementKind.SET) {
                    exchange.onTracking(model.tracking().clientSets(exchange.number(), buf, index, length));
                }
            }
            case CommandCode.STMT_PREPARE -> prepare(exchange, length);
            case CommandCode.STMT_EXECUTE, CommandCode.STMT_BULK_EXECUTE -> {
                execute(exchange, buf, index, length);
                PreparedEntry entry = exchange.prepared();
                exchange.setLocks(entry == null ? null : entry.locks(), false);
            }
            case CommandCode.INIT_DB -> {
                String name = buf.toString(index + 1, length - 1, StandardCharsets.UTF_8);
                model.changesSchema(exchange.number());
                exchange.onSuccess(() -> model.setSchema(name));
            }
            case CommandCode.SET_OPTION -> {
                if (length >= SET_OPTION_LENGTH) {
                    boolean on = buf.getUnsignedShortLE(index + 1) == 0; // MYSQL_OPTION_MULTI_STATEMENTS_ON
                    exchange.onSuccess(() -> model.setMultiStatements(on));
                }
            }
            case CommandCode.CHANGE_USER -> changeUser(exchange, buf, index, length);
            case CommandCode.STMT_RESET, CommandCode.STMT_FETCH -> exchange.setPrepared(find(buf, index, length));
            case CommandCode.STMT_SEND_LONG_DATA -> {
                PreparedEntry entry = find(buf, index, length);
                if (entry != null) {
                    boolean wanted = statements && length == exchange.payloadLength() && readsOnly(entry);
                    model.prepared().longData(entry, buf, index, length, wanted, model.statementLimit);
                }
            }
            case CommandCode.STMT_CLOSE -> {
                if (length >= ID_END) {
                    model.prepared().closed(buf.getIntLE(index + ID_OFFSET));
                }
            }
            default -> {
                // No effect.
            }
        }
    }

    /** Long data usually belong to an insert, whose bytes no observer uses. */
    private static boolean readsOnly(PreparedEntry entry) {
        StatementSummary summary = entry.summary();
        return summary != null
                && switch (summary.kind()) {
                    case SELECT, VALUES, TABLE -> true;
                    default -> false;
                };
    }

    /** Called when the observers have been told of the command and it is being forwarded. */
    void sent(Exchange exchange) {
        if (exchange.isStatement() && exchange.kind().writes()) {
            model.wrote();
        }
        PreparedEntry entry = exchange.prepared();
        if (entry != null && (exchange.isStatement() || exchange.code() == CommandCode.STMT_RESET)) {
            model.prepared().clearLongData(entry); // what is sent behind it may come ahead of its response
        }
    }

    private @Nullable PreparedEntry find(ByteBuf buf, int index, int length) {
        return length < ID_END ? null : model.prepared().find(buf.getIntLE(index + ID_OFFSET));
    }

    /** Returns how the statement at hand changes the session's locks; null if it does not. */
    private @Nullable LockChange lockChange(Exchange exchange) {
        if (exchange.kind() == StatementKind.BEGIN && model.statement.shown() == BEGIN_ALONE) {
            return LockChange.TRANSACTION_BEGUN; // without reading its words, which makes an object
        }
        boolean may = switch (exchange.kind()) {
            case LOCK, UNLOCK, FLUSH, ADMIN, BEGIN, SET -> true; // SET STATEMENT … FOR one of these
            default -> false;
        };
        return may || mayBeSeveral() ? model.statement.lockChange(!exchange.complete()) : null;
    }

    private boolean mayBeSeveral() {
        return model.multiStatements() && model.statement.mayHoldSeveral();
    }

    private void query(Exchange exchange, int length) {
        StatementKind kind = model.statement.kind(length);
        exchange.setKind(kind);
        if (!follows) {
            return;
        }
        InsertIdChange change = noteWhatIsLeft(exchange, kind);
        if (change != InsertIdChange.REPORTED) {
            boolean values = change == InsertIdChange.INSERTED && exchange.complete();
            exchange.setInsertIdChange(change, values ? model.statement.insertedValues() : null);
        }
        switch (kind) {
            case SET, USE, CREATE, LOCK, UNLOCK, FLUSH, BLOCK -> follow(exchange, kind);
            case PREPARE, DEALLOCATE, EXECUTE -> {
                if (!isSeveral(exchange)) {
                    preparedInText(exchange, kind);
                }
            }
            case DROP, ALTER, RENAME -> {
                StatementSummary summary = kind == StatementKind.DROP && model.movable() ? exchange.summary() : null;
                if (summary != null && summary.kind() == StatementKind.DEALLOCATE) {
                    preparedInText(exchange, StatementKind.DEALLOCATE);
                } else if (!isSeveral(exchange) && model.settings().temporaryTables()) {
                    followTables(exchange, exchange.summary(), model::schema, exchange.normalizedText());
                }
            }
            case BEGIN -> {
                if (model.statement.mayHoldSeveral()) { // BEGIN NOT ATOMIC
                    follow(exchange, StatementKind.BLOCK);
                }
            }
            case COMMIT, ROLLBACK -> {
                exchange.summary(); // kept in case that no response comes: see LostStatement
                isSeveral(exchange);
            }
            default -> isSeveral(exchange);
        }
    }

    /**
     * Notes what the text may leave in the session that is not followed, but matters to moving it. Returns how it may
     * change LAST_INSERT_ID().
     */
    private InsertIdChange noteWhatIsLeft(Exchange exchange, StatementKind kind) {
        if (!model.movable()) {
            return InsertIdChange.REPORTED;
        }
        FollowedState followed = model.settingsModel().followed();
        switch (kind) {
            case CALL -> followed.unknown(FollowedState.PROCEDURE);
            case HANDLER -> followed.unknown("handler");
            case BINLOG -> followed.unknown("binlog");
            case XA, XA_PREPARE -> followed.unknown("xa");
            case FLUSH, PREPARE, EXECUTE, BLOCK -> noteReset(followed);
            default -> {
                // The text itself decides.
            }
        }
        boolean several = mayBeSeveral();
        if (several) {
            noteReset(followed);
        }
        boolean assigns = false;
        if (!exchange.complete()) {
            followed.unknown(FollowedState.UNREAD);
            model.prepared().textHidden(null);
        } else if (model.statement.mayKeepState()) {
            if (model.statement.summary().userVariables()) {
                followed.unknown(FollowedState.USER_VARIABLES);
            }
            String text = model.statement.text();
            Matcher lock = USER_LOCK.matcher(text);
            while (lock.find()) {
                followed.unknown("user_lock");
                if (lock.group(1) != null) {
                    followed.serviceLocked();
                }
            }
            assigns = INSERT_ID_SET.matcher(text).find();
            if (assigns && kind != StatementKind.UPDATE && kind != StatementKind.INSERT) {
                followed.unknown("last_insert_id");
            }
        }
        return insertIdChange(exchange, kind, several, assigns);
    }

    /** @param assigns whether the text calls LAST_INSERT_ID with an argument */
    private InsertIdChange insertIdChange(Exchange exchange, StatementKind kind, boolean several, boolean assigns) {
        StatementSummary summary = several ? exchange.summary() : null;
        if (several && (summary == null || summary.kind() == StatementKind.MULTI)) {
            return hidden();
        }
        return switch (kind) {
            case INSERT, REPLACE -> InsertIdChange.INSERTED;
            case UPDATE -> assigns ? InsertIdChange.ASSIGNED : InsertIdChange.REPORTED;
            case EXECUTE ->
                model.prepared().texts().executesInsert(model.statement.text())
                        ? InsertIdChange.HIDDEN
                        : InsertIdChange.REPORTED;
            case EXPLAIN, BLOCK, UNKNOWN -> hidden();
            case BEGIN -> model.statement.mayHoldSeveral() ? hidden() : InsertIdChange.REPORTED;
            default -> InsertIdChange.REPORTED; // in a SET: see there
        };
    }

    private InsertIdChange hidden() {
        return TextPrepared.mayInsert(model.statement.text()) ? InsertIdChange.HIDDEN : InsertIdChange.REPORTED;
    }

    private void noteReset(FollowedState followed) {
        if (FLUSH_STATUS.matcher(model.statement.text()).lookingAt()) {
            followed.unknown(FollowedState.COUNTERS);
        }
    }

    /** Returns whether the text holds several statements; if so, their effect has been set. */
    private boolean isSeveral(Exchange exchange) {
        if (!mayBeSeveral()) {
            return false;
        }
        StatementSummary summary = exchange.summary();
        if (summary == null || summary.kind() != StatementKind.MULTI) {
            return false;
        }
        followHidden(exchange, summary);
        return true;
    }

    /** Sets the effect of statements that are not analysed individually: several in one text, or in a block. */
    private void followHidden(Exchange exchange, StatementSummary summary) {
        model.prepared().textHidden(exchange.text());
        if (summary.touchesSession()) {
            loses(exchange);
        } else if (model.settings().temporaryTables()) {
            exchange.onSuccess(model.settingsModel().tables()::renamed);
        }
    }

    /** Sets the effect of what may change the session in ways that are not followed. */
    private void loses(Exchange exchange) {
        model.changesSchema(exchange.number());
        exchange.onSuccess(model.settingsModel()::lost);
    }

    private void preparedInText(Exchange exchange, StatementKind kind) {
        String text = exchange.text();
        int modes = model.settings().sqlModes();
        if (kind != StatementKind.EXECUTE) {
            byte[] sql = exchange.complete() ? model.statement.copyText() : null;
            boolean removes = kind == StatementKind.DEALLOCATE;
            exchange.onSuccess(model.prepared().texts().prepared(sql, modes, removes, model::preparationAnswered));
        } else if (!model.prepared().texts().executes(text, modes)) {
            loses(exchange);
        } else if (model.settings().temporaryTables()) {
            exchange.onSuccess(model.settingsModel().tables()::renamed);
        }
    }

    /**
     * Sets the effect of a DROP, ALTER or RENAME while there are temporary tables.
     *
     * @param schema asked when the response has come: a change of it may be in flight ahead of the statement
     */
    private void followTables(
            Exchange exchange,
            @Nullable StatementSummary summary,
            Supplier<@Nullable String> schema,
            @Nullable String normalized) {
        SettingsModel settings = model.settingsModel();
        if (summary == null || summary.kind() != StatementKind.DROP) {
            exchange.onSuccess(settings.tables()::renamed);
        } else if (summary.temporary()
                || normalized != null && normalized.regionMatches(true, 0, DROP_TABLE, 0, DROP_TABLE.length())) {
            exchange.onSuccess(() -> settings.tables().dropped(summary.writes(), schema.get()));
        }
    }

    private void follow(Exchange exchange, StatementKind kind) {
        StatementSummary summary = exchange.summary();
        if (summary == null) {
            if (kind == StatementKind.SET || kind == StatementKind.USE || kind == StatementKind.BLOCK) {
                loses(exchange);
            }
            return;
        }
        if (summary.kind() == StatementKind.MULTI) {
            followHidden(exchange, summary);
            return;
        }
        switch (kind) {
            case SET -> set(exchange, model.statement.setStatement(), summary, model::schema);
            case USE -> {
                String schema = summary.useSchema();
                model.changesSchema(exchange.number());
                exchange.onSuccess(() -> model.useSchema(schema));
            }
            case CREATE -> create(exchange, summary, model::schema, exchange.normalizedText());
            case BLOCK -> followHidden(exchange, summary);
            // Whatever the interests are: it takes locks.
            case LOCK ->
                exchange.onSuccess(() -> model.settingsModel().followed().ran(FollowedState.LOCKS));
            case FLUSH ->
                exchange.onSuccess(() -> model.settingsModel().followed().ran(FollowedState.FLUSHES));
            default -> {
                // No effect.
            }
        }
    }

    private void create(
            Exchange exchange,
            StatementSummary summary,
            Supplier<@Nullable String> schema,
            @Nullable String normalized) {
        SettingsModel settings = model.settingsModel();
        if (summary.temporary()) {
            exchange.onSuccess(() -> {
                settings.tables().created(summary.writes(), schema.get());
                settings.followed().ran(FollowedState.TEMPORARY_TABLES);
            });
        } else if (normalized != null && normalized.regionMatches(true, 0, CREATE_TABLE, 0, CREATE_TABLE.length())) {
            exchange.onSuccess(() -> settings.followed().ran(FollowedState.TABLES));
        }
    }

    /**
     * Sets the effect of a SET, or of the statement inside a SET STATEMENT, whose variables change nothing beyond it.
     */
    private void set(
            Exchange exchange,
            @Nullable SetStatement set,
            StatementSummary summary,
            Supplier<@Nullable String> schema) {
        if (set == null) {
            loses(exchange);
        } else if (set.assignments().get(0).scope() != SetStatement.Scope.STATEMENT) {
            long number = exchange.number();
            exchange.onSuccess(() -> model.settingsModel().apply(set, number));
        } else {
            switch (summary.runs()) {
                case INSERT, REPLACE, LOAD, CALL, EXECUTE, EXPLAIN, BLOCK, UNKNOWN ->
                    exchange.setInsertIdChange(InsertIdChange.HIDDEN, null);
                default -> {
                    // Leaves LAST_INSERT_ID(), or reports it.
                }
            }
            if (summary.temporary()) {
                exchange.onSuccess(() -> model.settingsModel().tables().created(summary.writes(), schema.get()));
            } else {
                followHidden(exchange, summary);
            }
        }
    }

    private void prepare(Exchange exchange, int length) {
        StatementKind kind = model.statement.kind(length);
        exchange.setKind(kind);
        InsertIdChange change = noteWhatIsLeft(exchange, kind);
        boolean keep = follows && exchange.complete() && model.prepared().roomForText(length);
        PreparedEntry entry = new PreparedEntry(
                kind,
                lockChange(exchange),
                keep ? model.statement.copyText() : null,
                model.settings().sqlModes(),
                model.preparation(),
                model.analyzer);
        entry.setInsertIdChange(change);
        model.prepared().requested(entry);
        exchange.setPrepared(entry);
    }

    private void execute(Exchange exchange, ByteBuf buf, int index, int length) {
        PreparedEntry entry = find(buf, index, length);
        exchange.setPrepared(entry);
        if (exchange.code() == CommandCode.STMT_EXECUTE && ExecuteBody.requestsCursor(buf, index, length)) {
            exchange.requestCursor();
        }
        if (entry != null && entry.kind() == StatementKind.SET) {
            exchange.onTracking(
                    model.tracking().clientSetsPrepared(exchange.number(), entry.text(), buf, index, length));
        }
        if (entry == null || !follows) {
            return;
        }
        model.prepared().executed(entry, buf, index, length, model.capabilities());
        if (entry.insertIdChange() != InsertIdChange.REPORTED) {
            boolean whole = exchange.code() == CommandCode.STMT_EXECUTE && length == exchange.payloadLength();
            exchange.setInsertIdChange(
                    entry.insertIdChange(),
                    whole && entry.insertIdChange() == InsertIdChange.INSERTED
                            ? entry.insertedBy(buf, index, length, model.capabilities())
                            : null);
        }
        if (exchange.code() == CommandCode.STMT_EXECUTE) {
            followPrepared(exchange, entry);
        }
    }

    /** Sets the effect of executing a prepared statement; its names refer to the schema of its preparation. */
    private void followPrepared(Exchange exchange, PreparedEntry entry) {
        switch (entry.kind()) {
            case SET -> {
                StatementSummary summary = entry.summary();
                if (summary == null) {
                    loses(exchange);
                } else {
                    set(exchange, entry.setStatement(), summary, entry::schema);
                }
            }
            case CREATE -> {
                StatementSummary summary = entry.summary();
                if (summary != null) {
                    create(exchange, summary, entry::schema, entry.normalizedText());
                }
            }
            case DROP, ALTER, RENAME -> {
                if (model.settings().temporaryTables()) {
                    followTables(exchange, entry.summary(), entry::schema, entry.normalizedText());
                }
            }
            case BEGIN -> {
                StatementSummary summary = entry.summary();
                if (summary == null || summary.kind() != StatementKind.BEGIN) { // BEGIN NOT ATOMIC
                    loses(exchange);
                }
            }
            case USE, LOCK, UNLOCK, EXECUTE, BLOCK -> loses(exchange);
            default -> {
                // No effect on the session.
            }
        }
    }

    private void changeUser(Exchange exchange, ByteBuf buf, int index, int length) {
        model.changesSchema(exchange.number());
        int end = index + length;
        int userEnd = buf.indexOf(index + 1, end, (byte) 0);
        if (userEnd < 0) {
            return;
        }
        String user = buf.toString(index + 1, userEnd - index - 1, StandardCharsets.UTF_8);
        // SECURE_CONNECTION, which every client since 4.1 has: one byte of length, then the authentication data.
        int at = userEnd + 1;
        int schemaAt = at < end ? at + 1 + buf.getUnsignedByte(at) : end;
        int schemaEnd = schemaAt < end ? buf.indexOf(schemaAt, end, (byte) 0) : -1;
        String schema =
                schemaEnd <= schemaAt ? null : buf.toString(schemaAt, schemaEnd - schemaAt, StandardCharsets.UTF_8);
        int collationAt = schemaEnd + 1;
        int collation = schemaEnd >= 0 && collationAt + 2 <= end ? buf.getUnsignedShortLE(collationAt) : -1;
        exchange.onSuccess(() -> model.changeUser(user, schema, collation));
    }
}
