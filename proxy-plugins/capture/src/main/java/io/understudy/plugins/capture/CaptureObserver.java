package io.understudy.plugins.capture;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.understudy.plugin.CommandView;
import io.understudy.plugin.Interest;
import io.understudy.plugin.PreparedStatement;
import io.understudy.plugin.ResponseView;
import io.understudy.plugin.ResultHash;
import io.understudy.plugin.SessionContext;
import io.understudy.plugin.SessionObserver;
import io.understudy.protocol.CommandCode;
import io.understudy.sql.Literals;
import io.understudy.sql.SecretWords;
import io.understudy.sql.SingleLine;
import io.understudy.sql.SqlModes;
import io.understudy.sql.StatementSummary;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Copies the commands of one session while a capture runs. A session's part begins outside a transaction. */
final class CaptureObserver implements SessionObserver {
    private static final int PAYLOAD_AT = 5; // after the header and the command code
    /** The flags of an execution, after the statement id. */
    private static final int CURSOR_AT = 4;

    private static final Pattern ACCOUNT =
            Pattern.compile("^(create|alter|drop|rename)( or replace)?( if (not )?exists)? (user|role|server)(?!\\w)"
                    + "|^set (session |global |local )?(password|role|default role)(?!\\w)");

    private static final byte[] NOTHING = new byte[0];
    /** The servers' error for a text that they cannot parse. */
    private static final int PARSE_ERROR = 1064;

    /** A command that waits for its response. */
    private record Pending(
            Capture capture,
            CapturedSession session,
            int code,
            byte[] payload,
            @Nullable PreparedStatement prepared,
            byte @Nullable [] types,
            @Nullable ResultHash hash,
            boolean reset) {}

    private final CapturePlugin plugin;
    private final SessionContext session;
    /** Whether rows can be hashed: decided when the session begins. */
    private final boolean rows;

    /** The capture that ran when the session began: it misses nothing of it. */
    private final @Nullable Capture since;

    private @Nullable Capture joined;
    private List<String> missing = List.of();
    /** Whether the client has reset the session since the last captured command. */
    private boolean reset;

    private @Nullable CapturedSession described;
    private @Nullable SingleLine line;

    CaptureObserver(CapturePlugin plugin, SessionContext session) {
        this.plugin = plugin;
        this.session = session;
        this.rows = plugin.mayHashResults();
        this.since = plugin.active();
    }

    @Override
    public int interests() {
        return Interest.COMMANDS | Interest.STATEMENTS | Interest.RESPONSES | (rows ? Interest.ROWS : Interest.NONE);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // one object a capture
    public void onCommand(CommandView command) {
        Capture capture = plugin.active();
        if (capture == null || !command.isStatement()) {
            return;
        }
        if (joined != capture) {
            if (command.inTransactionBefore()) {
                capture.meters().skipped("in_transaction");
                return;
            }
            joined = capture;
            described = null;
            reset = false;
            missing = capture == since ? List.of() : CapturedSession.missingOf(session);
        }
        PreparedStatement prepared = command.prepared();
        String unfit = unfit(command, prepared);
        if (unfit != null) {
            capture.meters().skipped(unfit);
            return;
        }
        Pending pending = capture.literals() == Literals.KEEP
                ? kept(capture, command, prepared)
                : withoutValues(capture, command, prepared);
        if (pending != null) {
            reset = false;
            command.attach(pending);
        }
    }

    private @Nullable String unfit(CommandView command, @Nullable PreparedStatement prepared) {
        if (!command.complete() || command.summary() == null) {
            return "too_long";
        }
        if (command.code() == CommandCode.STMT_BULK_EXECUTE) {
            return "bulk_execute";
        }
        if (prepared != null && prepared.longDataPending()) {
            return "long_data";
        }
        if (!session.settings().known() || prepared != null && !isAsPrepared(prepared)) {
            return "settings_unknown";
        }
        return isAboutAccounts(command) ? "account" : null;
    }

    /** Returns whether it is a statement about accounts and passwords, which no capture holds. */
    private static boolean isAboutAccounts(CommandView command) {
        return switch (command.kind()) {
            case GRANT, CHANGE -> true;
            case CREATE, ALTER, DROP, RENAME, SET -> {
                String text = command.normalizedText();
                yield text == null
                        || ACCOUNT.matcher(text.toLowerCase(Locale.ROOT)).find();
            }
            default -> false;
        };
    }

    /**
     * Returns whether one set of settings says what an execution means: its text has the character set of the
     * preparation, its values that of now.
     */
    private boolean isAsPrepared(PreparedStatement prepared) {
        return prepared.settingsKnown()
                && Objects.equals(prepared.characterSet(), session.settings().characterSet());
    }

    private @Nullable Pending kept(Capture capture, CommandView command, @Nullable PreparedStatement prepared) {
        byte[] payload = copy(command);
        if (payload == null) {
            capture.meters().skipped("attributes");
            return null;
        }
        byte[] text = prepared == null ? payload : prepared.text();
        if (text == null || SecretWords.areIn(text, text.length)) {
            capture.meters().skipped(text == null ? "too_long" : "account");
            return null;
        }
        byte[] types = prepared == null ? null : prepared.parameterTypes();
        ResultHash hash = rows && capture.results() == Results.HASH ? hashed(command, payload) : null;
        return new Pending(capture, described(prepared), command.code(), payload, prepared, types, hash, reset);
    }

    /** Has the result of a read hashed, unless its rows come with later commands or another plugin sees them. */
    private static @Nullable ResultHash hashed(CommandView command, byte[] payload) {
        StatementSummary summary = command.summary();
        boolean cursor =
                command.code() == CommandCode.STMT_EXECUTE && (payload.length <= CURSOR_AT || payload[CURSOR_AT] != 0);
        if (cursor || summary == null || !summary.pureRead()) {
            return null;
        }
        ResultHash hash = new ResultHash(ResultHash.CAPTURED_BYTES);
        return command.watchRows(hash) ? hash : null;
    }

    private @Nullable Pending withoutValues(
            Capture capture, CommandView command, @Nullable PreparedStatement prepared) {
        byte[] text;
        if (capture.literals() == Literals.DROP) {
            String normalized = command.normalizedText();
            text = normalized == null ? NOTHING : normalized.getBytes(StandardCharsets.UTF_8);
        } else if (prepared != null && !prepared.wasPreparedUnder(session.settings())) {
            capture.meters().skipped("settings_unknown");
            return null;
        } else {
            byte[] source = prepared == null ? copy(command) : prepared.text();
            text = source == null ? NOTHING : hashed(source);
        }
        if (text.length == 0) {
            capture.meters().skipped("unparsed");
            return null;
        }
        return new Pending(capture, described(prepared), CommandCode.QUERY, text, null, null, null, reset);
    }

    /** Returns the text with hashes for its values, empty if it is not certain which parts are values. */
    private byte[] hashed(byte[] text) {
        SingleLine own = line == null ? new SingleLine() : line;
        line = own;
        // Rather hash a name than show a value.
        int sure = session.settings().sqlModes() & ~(SqlModes.QUOTES_UNKNOWN | SqlModes.ANSI_QUOTES);
        return own.write(text, 0, text.length, sure, plugin.hash(), null) == null
                ? Arrays.copyOf(own.bytes(), own.length())
                : NOTHING;
    }

    private static byte @Nullable [] copy(CommandView command) {
        ByteBuf copy = command.copyPacket(PooledByteBufAllocator.DEFAULT);
        if (copy == null) {
            return null;
        }
        try {
            byte[] bytes = new byte[copy.readableBytes() - PAYLOAD_AT];
            copy.getBytes(copy.readerIndex() + PAYLOAD_AT, bytes);
            return bytes;
        } finally {
            copy.release();
        }
    }

    private CapturedSession described(@Nullable PreparedStatement prepared) {
        CapturedSession known = described;
        if (known == null
                || !known.describes(session, prepared)
                || !known.missing().equals(missing)) {
            known = CapturedSession.of(session, prepared, missing);
            described = known;
        }
        return known;
    }

    @Override
    public void onResponse(CommandView command, ResponseView response) {
        if (!(command.attachment() instanceof Pending pending)) {
            return;
        }
        command.attach(null);
        Capture capture = pending.capture();
        if (capture.literals() != Literals.KEEP && response.errorCode() == PARSE_ERROR) {
            capture.meters().skipped("unparsed"); // a value may have passed for a name
            return;
        }
        ResultHash hash = pending.hash();
        capture.offer(new CapturedCommand(
                pending.session(),
                pending.code(),
                pending.payload(),
                pending.prepared(),
                pending.types(),
                command.receivedNanos(),
                response.lastByteNanos() - command.receivedNanos(),
                response.rows(),
                response.affectedRows(),
                response.errorCode(),
                hash == null || !response.ok() ? null : hash.result(response.rows()),
                pending.reset()));
    }

    /** Forgets the session's state from before the capture. */
    @Override
    public void onReset() {
        reset = true;
        missing = List.of();
    }

    @Override
    public void onClose(String reason) {
        Capture capture = joined;
        CapturedSession known = described;
        if (capture != null && known != null && capture.isActive()) {
            capture.offer(new CapturedCommand(
                    known, CommandCode.QUIT, NOTHING, null, null, System.nanoTime(), 0, 0, 0, 0, null, false));
        }
    }
}
