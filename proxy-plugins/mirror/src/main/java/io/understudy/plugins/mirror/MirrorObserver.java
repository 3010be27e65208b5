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
import io.understudy.plugins.mirror.playback.MirrorRules;
import io.understudy.plugins.mirror.playback.MirroredStatement;
import io.understudy.plugins.mirror.playback.StandbyMirror;
import io.understudy.plugins.mirror.selection.DropReason;
import io.understudy.plugins.mirror.selection.MirrorConfig;
import io.understudy.plugins.mirror.selection.MirrorFitness;
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
    /** A selected statement that waits for the primary's response. */
    private static final class Chosen {
        private final ByteBuf packet;
        private final byte @Nullable [] longData;
        private final MirrorRules.Bound rule;
        private final StatementSetting setting;
        private final @Nullable PreparedStatement prepared;
        private final byte @Nullable [] types;
        private final long digest;
        private final StatementSummary summary;
        private final boolean lookup;
        private final List<TableName> tables;
        private final int random;

        Chosen(
                ByteBuf packet,
                byte @Nullable [] longData,
                MirrorRules.Bound rule,
                StatementSetting setting,
                @Nullable PreparedStatement prepared,
                byte @Nullable [] types,
                StatementSummary summary,
                @Nullable Lookup lookup,
                int random) {
            this.packet = packet;
            this.longData = longData;
            this.rule = rule;
            this.setting = setting;
            this.prepared = prepared;
            this.types = types;
            this.digest = summary.digest();
            this.lookup = lookup != null;
            this.summary = lookup == null ? summary : lookup.summary();
            this.tables = ReadTables.of(this.summary, setting.schema());
            this.random = random;
        }
    }

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
    private final Deque<Chosen> awaitingResponse = new ArrayDeque<>(2);

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
        if (changesSession(command)) {
            changesInFlight++;
            SchemaChange ddl = schemaChange(command);
            command.attach(ddl == null ? CHANGE : ddl);
            return;
        }
        SchemaChange ddl = schemaChange(command);
        if (ddl != null) {
            changesInFlight++;
            command.attach(ddl);
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
        boolean lookedUp = rules.lookups() && MirrorFitness.isLookedUp(summary);
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
        Chosen chosen = new Chosen(
                packet,
                prepared == null ? null : prepared.longData(),
                rule,
                prepared == null ? now : now.asPrepared(prepared),
                prepared,
                prepared == null ? null : prepared.parameterTypes(),
                summary,
                lookup,
                random);
        if (lookup != null) {
            mirror.meters().lookups(summary.kind()).increment();
        }
        command.attach(chosen);
        awaitingResponse.add(chosen);
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
            unfit = MirrorFitness.unfit(session.settings(), command, lookup != null);
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
        awaitingResponse.remove(chosen); // always the first: responses come in order
        try {
            if (!response.ok()) {
                skipped("failed_on_primary").increment();
                return;
            }
            MirroredStatement statement = new MirroredStatement(
                    chosen.packet,
                    chosen.longData,
                    chosen.prepared,
                    chosen.types,
                    chosen.setting,
                    chosen.tables,
                    chosen.rule,
                    session.id(),
                    chosen.summary.oneProduct() ? session.flavor() : null,
                    chosen.summary,
                    chosen.lookup,
                    chosen.digest,
                    response.lastByteNanos() - command.receivedNanos(),
                    response.lastByteNanos());
            for (StandbyMirror standby : chosen.rule.targets()) {
                standby.offer(statement, chosen.random);
            }
            mirror.checks().check(statement);
        } finally {
            chosen.packet.release();
        }
    }

    @Override
    public void onClose(String reason) {
        awaitingResponse.forEach(chosen -> chosen.packet.release());
        awaitingResponse.clear();
    }
}
