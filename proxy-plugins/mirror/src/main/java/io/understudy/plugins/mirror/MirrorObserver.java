package io.understudy.plugins.mirror;

import io.micrometer.core.instrument.Counter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.understudy.base.SplitMix64;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.plugin.SessionSettings;
import io.understudy.plugins.mirror.playback.MirrorRules;
import io.understudy.plugins.mirror.playback.MirroredStatement;
import io.understudy.plugins.mirror.playback.StandbyMirror;
import io.understudy.plugins.mirror.selection.DropReason;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.selection.MirrorExplanation;
import io.understudy.plugins.mirror.statement.Commands;
import io.understudy.plugins.mirror.statement.StatementSetting;
import io.understudy.plugins.mirror.tables.ReadTables;
import io.understudy.protocol.CommandCode;
import io.understudy.rules.ReadFitness;
import io.understudy.rules.SessionRules;
import io.understudy.sql.Lookup;
import io.understudy.sql.StatementKind;
import io.understudy.sql.StatementSummary;
import io.understudy.sql.TableName;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Selects a session's statements for mirroring: by rule, by sample, then by fitness. A selected statement is copied
 * when it arrives and queued when the primary has executed it without an error, so that a statement that fails on the
 * primary is never tried on a standby.
 */
final class MirrorObserver implements SessionObserver {
    /** A selected statement that waits for the primary's response, and what was drawn for it. */
    private record Chosen(MirroredStatement statement, int random) {}

    /** A schema change that waits for the primary's response; {@code tables} is null if they are not known. */
    private record SchemaChange(@Nullable List<TableName> tables) {}

    private static final Object CHANGE = new Object();

    private final RunningMirror mirror;
    private final SessionContext session;
    private final int sessionHash;
    private MirrorRules rules;
    private SessionRules<MirrorRules.Bound> sessionRules;
    private StatementSetting setting;
    private int changesInFlight;
    /** Drawn for the current command. */
    private int random;
    /** Copies to release if the session ends before their responses. */
    private final Deque<ByteBuf> awaitingResponse = new ArrayDeque<>(2);

    MirrorObserver(RunningMirror mirror, SessionContext session) {
        this.mirror = mirror;
        this.session = session;
        this.sessionHash = spread(session.id());
        this.rules = mirror.rules();
        this.sessionRules = rules.set().forSession(session);
        this.setting = StatementSetting.of(session);
    }

    /** Spreads consecutive numbers evenly over all ints. */
    private static int spread(long id) {
        return (int) (SplitMix64.mix(id) >>> 32);
    }

    @Override
    public int interests() {
        return Interest.COMMANDS | Interest.STATEMENTS | Interest.RESPONSES;
    }

    @Override
    public void onCommand(CommandView command) {
        boolean changes = changesSession(command);
        SchemaChange ddl = schemaChange(command);
        if (changes || ddl != null) {
            changesInFlight++;
            command.attach(ddl == null ? CHANGE : ddl);
            return;
        }
        if (!command.isStatement()) {
            return;
        }
        if (CommandView.runs(command) == StatementKind.SELECT) {
            mirror.relayedQuery();
        }
        MirrorRules.Bound rule = chosenBy(command);
        if (rule == null) {
            return;
        }
        StatementSummary summary = command.summary();
        boolean lookedUp = rules.lookups() && MirrorExplanation.isLookedUp(summary);
        Lookup lookup = lookedUp ? command.lookup() : null;
        String unfit = lookedUp && lookup == null ? "no_lookup" : unfit(command, rule, lookup);
        if (unfit != null || summary == null) {
            skipped(unfit == null ? "unparsed" : unfit).increment();
            return;
        }
        if (!rule.limit().take(System.nanoTime())) {
            boolean query = lookup == null && MirroredStatement.isSelect(summary);
            int drawn = random;
            rule.targets().forEach(standby -> standby.limited(rule, query, drawn));
            return;
        }
        ByteBuf packet = lookup == null
                ? command.copyPacket(PooledByteBufAllocator.DEFAULT)
                : Commands.bytes(PooledByteBufAllocator.DEFAULT, CommandCode.QUERY, lookup.text());
        if (packet == null) {
            rule.targets().forEach(standby -> standby.drop(DropReason.NOT_REPRODUCIBLE));
            return;
        }
        PreparedStatement prepared = command.prepared();
        StatementSetting now = currentSetting();
        StatementSetting own = prepared == null ? now : now.asPrepared(prepared);
        StatementSummary sent = lookup == null ? summary : lookup.summary();
        MirroredStatement statement = new MirroredStatement(
                packet,
                prepared == null ? null : prepared.longData(),
                prepared,
                prepared == null ? null : prepared.parameterTypes(),
                own,
                ReadTables.of(sent, own.schema()),
                rule,
                session.id(),
                sent.oneProduct() ? session.flavor() : null,
                sent,
                lookup != null,
                summary.digest(),
                0,
                0);
        if (lookup != null) {
            mirror.meters().lookups(summary.kind()).increment();
        }
        command.attach(new Chosen(statement, random));
        awaitingResponse.add(packet);
    }

    /**
     * Returns whether the command may change the session: until its response arrives, the meaning of the statements
     * sent after it is unknown.
     */
    private static boolean changesSession(CommandView command) {
        return switch (command.code()) {
            case CommandCode.QUERY, CommandCode.STMT_EXECUTE ->
                switch (command.kind()) {
                    case SET -> !isCarrier(command.summary());
                    case USE, CREATE, LOCK, UNLOCK, EXECUTE, BLOCK -> true;
                    default -> false;
                };
            case CommandCode.INIT_DB, CommandCode.CHANGE_USER, CommandCode.RESET_CONNECTION -> true;
            default -> false;
        };
    }

    /** Returns the change of tables or views that the command makes, or null, and has the standbys' knowledge end. */
    private @Nullable SchemaChange schemaChange(CommandView command) {
        if (command.code() != CommandCode.QUERY && command.code() != CommandCode.STMT_EXECUTE) {
            return null;
        }
        switch (command.kind()) {
            case CREATE, ALTER, DROP, RENAME, SET -> {}
            default -> {
                return null;
            }
        }
        StatementSummary summary = command.summary();
        SchemaChange change = null;
        if (summary == null) {
            change = command.kind() == StatementKind.SET ? null : new SchemaChange(null);
        } else if (summary.changesSchema()) {
            PreparedStatement prepared = command.prepared();
            String schema = prepared == null ? session.schema() : prepared.schema();
            List<TableName> written = ReadTables.resolved(summary.writes(), schema);
            boolean unread = !summary.writesListed() && summary.runs() != StatementKind.DROP
                    || prepared == null && session.schemaInFlight();
            change = unread ? new SchemaChange(null) : written.isEmpty() ? null : new SchemaChange(written);
        }
        changed(change);
        return change;
    }

    private void changed(@Nullable SchemaChange change) {
        if (change == null) {
            return;
        }
        long now = System.nanoTime();
        List<TableName> tables = change.tables();
        if (tables == null) {
            mirror.schemaChanges().changedEverything(now);
        } else {
            tables.forEach(table -> mirror.schemaChanges().changed(table, now));
        }
    }

    /**
     * Returns whether the statement is a {@code SET STATEMENT … FOR} around one that leaves the session unchanged: it
     * is mirrored, or counted, like a plain statement.
     */
    private static boolean isCarrier(@Nullable StatementSummary summary) {
        return summary != null && !summary.touchesSession();
    }

    private @Nullable String unfit(CommandView command, MirrorRules.Bound rule, @Nullable Lookup lookup) {
        if (changesInFlight > 0) {
            return "settings_in_flight";
        }
        String unfit = ReadFitness.unfit(
                lookup == null ? command.summary() : lookup.summary(),
                rules.functions(),
                session.schema(),
                rule.rule().match());
        if (unfit == null) {
            unfit = unfit(session.settings(), command, lookup != null);
        }
        if (unfit != null) {
            return unfit;
        }
        if (!command.complete()) {
            return "too_long";
        }
        if (command.code() == CommandCode.STMT_BULK_EXECUTE) {
            return "bulk_execute";
        }
        PreparedStatement prepared = command.prepared();
        // Too much long data to have been kept, and without all of it the execution would differ.
        return prepared != null && prepared.longDataPending() && prepared.longData() == null ? "long_data" : null;
    }

    /**
     * Returns the reason in a session's current state not to mirror its statements, or null if there is none.
     *
     * @param lookup whether the rows that the standby returns need not be those of the primary
     */
    private static @Nullable String unfit(SessionSettings settings, CommandView command, boolean lookup) {
        PreparedStatement prepared = command.prepared();
        if (!settings.known() || prepared != null && !prepared.settingsKnown()) {
            return "settings_unknown";
        }
        if (settings.temporaryTables()) {
            return "temporary_table";
        }
        if (settings.lockedTables()) {
            return "lock_tables";
        }
        return !lookup && command.wroteInTransactionBefore() ? "in_writing_transaction" : null;
    }

    private MirrorRules.@Nullable Bound chosenBy(CommandView command) {
        MirrorRules current = mirror.rules();
        if (current != rules) {
            rules = current;
            sessionRules = current.set().forSession(session);
        }
        MirrorRules.Bound rule = sessionRules.match(command);
        if (rule == null) {
            return null;
        }
        random = rule.rule().by() == MirrorConfig.By.SESSION
                ? sessionHash
                : ThreadLocalRandom.current().nextInt();
        return rule.takes(random) || boosted(rule, command) ? rule : null;
    }

    /** Returns whether a standby wants all reads of the command's tables for the moment. */
    private boolean boosted(MirrorRules.Bound rule, CommandView command) {
        if (!rule.boosts()) {
            return false;
        }
        StatementSummary summary = command.summary();
        if (summary == null) {
            return false;
        }
        PreparedStatement prepared = command.prepared();
        return rule.boosts(ReadTables.of(summary, prepared == null ? session.schema() : prepared.schema()), random);
    }

    private StatementSetting currentSetting() {
        if (!setting.describes(session)) {
            setting = StatementSetting.of(session);
        }
        return setting;
    }

    private Counter skipped(String reason) {
        return mirror.meters().skipped(reason);
    }

    @Override
    public void onResponse(CommandView command, ResponseView response) {
        Object attached = command.attachment();
        command.attach(null);
        if (attached == CHANGE) {
            changesInFlight--;
        } else if (attached instanceof SchemaChange change) {
            changesInFlight--;
            changed(change); // the standbys can have begun it only now
        }
        if (!(attached instanceof Chosen chosen)) {
            return;
        }
        ByteBuf packet = awaitingResponse.remove(); // responses come in order
        try {
            if (!response.ok()) {
                skipped("failed_on_primary").increment();
                return;
            }
            MirroredStatement statement = chosen.statement()
                    .responded(response.lastByteNanos() - command.receivedNanos(), response.lastByteNanos());
            for (StandbyMirror standby : statement.rule().targets()) {
                standby.offer(statement, chosen.random());
            }
            mirror.verify(statement);
        } finally {
            packet.release();
        }
    }

    @Override
    public void onClose(String reason) {
        awaitingResponse.forEach(ByteBuf::release);
        awaitingResponse.clear();
    }
}
