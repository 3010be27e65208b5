package io.understudy.plugins.blackbox.outcome;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What became of one statement whose response never came.
 *
 * @param when the statement arrived from the client
 * @param session the proxy's number of the session; numbers begin anew with each start of the proxy
 * @param command number of the command in its session. With {@code when} and {@code session} it names the record
 * @param serverName the server that it was sent to, as {@code server_id 11}
 * @param thread the session's connection id there, which the client knows as CONNECTION_ID()
 * @param digest of the transaction's first writing statement; 0 if unknown
 * @param kind of the statement that was lost, see {@link io.understudy.sql.StatementKind#label}
 * @param token what the client has named its transaction; null if it has not
 * @param gtid committed: of the transaction. Not committed: empty. Unknown: a transaction that may be it, or empty
 * @param reason why the outcome is unknown; empty if it is known
 * @param settled whether the outcome stays as it is; false while it is still being found out
 * @param told whether the client was told the outcome
 * @param history number of the primary's history in which it was written to a log, which may outlive what the proxy
 *     knows of its primaries; 0 if it was not written, and {@link #UNTOLD} if the log does not tell it
 */
public record OutcomeRecord(
        Instant when,
        long session,
        long command,
        String serverName,
        long thread,
        String user,
        long digest,
        String kind,
        @Nullable String token,
        Verdict verdict,
        String gtid,
        String reason,
        boolean settled,
        boolean told,
        long history) {
    /** The history of a record of a log that does not tell it. */
    static final long UNTOLD = -1;

    /** The outcomes that there are. */
    public enum Verdict {
        COMMITTED("committed"),
        NOT_COMMITTED("not_committed"),
        UNKNOWN("unknown");

        private final String label;

        Verdict(String label) {
            this.label = label;
        }

        /** Returns the name for metrics and views. */
        public String label() {
            return label;
        }
    }

    /** Returns the same with an outcome that stays. */
    OutcomeRecord ended(Verdict found, String as, String why, boolean clientTold) {
        return with(found, as, why, true, clientTold, history);
    }

    /** Returns the same as unknown: the present primary may lack it. */
    OutcomeRecord doubted(String why, boolean stays) {
        return with(Verdict.UNKNOWN, gtid, why, stays, told, history);
    }

    /** Returns the record with the outcome told to the client. */
    OutcomeRecord asTold() {
        return with(verdict, gtid, reason, settled, true, history);
    }

    /** Returns the record as it is written in a history. */
    public OutcomeRecord in(long number) {
        return with(verdict, gtid, reason, settled, told, number);
    }

    private OutcomeRecord with(Verdict found, String as, String why, boolean stays, boolean clientTold, long number) {
        return new OutcomeRecord(
                when,
                session,
                command,
                serverName,
                thread,
                user,
                digest,
                kind,
                token,
                found,
                as,
                why,
                stays,
                clientTold,
                number);
    }

    /** Returns the record as bytes. */
    public byte[] bytes() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream to = new DataOutputStream(bytes)) {
            to.writeLong(when.getEpochSecond());
            to.writeInt(when.getNano());
            for (long each : new long[] {session, command, thread, digest}) {
                to.writeLong(each);
            }
            for (String each : new String[] {serverName, user, kind, token == null ? "" : token, gtid, reason}) {
                to.writeUTF(each);
            }
            to.writeUTF(verdict.name());
            to.writeBoolean(settled);
            to.writeBoolean(told);
            to.writeLong(history);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a text of more than 64 KiB
        }
        return bytes.toByteArray();
    }

    /** One that was kept before its history was known has 0. */
    private static long history(DataInputStream in) throws IOException {
        long number = in.available() == 0 ? 0 : in.readLong();
        return number == 0 ? UNTOLD : number;
    }

    /**
     * Returns the record of such bytes.
     *
     * @throws IllegalArgumentException if they are none
     */
    public static OutcomeRecord of(byte[] bytes) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
            Instant when = Instant.ofEpochSecond(in.readLong(), in.readInt());
            long session = in.readLong();
            long command = in.readLong();
            long thread = in.readLong();
            long digest = in.readLong();
            String server = in.readUTF();
            String user = in.readUTF();
            String kind = in.readUTF();
            String token = in.readUTF();
            String gtid = in.readUTF();
            String reason = in.readUTF();
            return new OutcomeRecord(
                    when,
                    session,
                    command,
                    server,
                    thread,
                    user,
                    digest,
                    kind,
                    token.isEmpty() ? null : token,
                    Verdict.valueOf(in.readUTF()),
                    gtid,
                    reason,
                    in.readBoolean(),
                    in.readBoolean(),
                    history(in));
        } catch (IOException e) {
            throw new IllegalArgumentException("no record of an outcome", e);
        }
    }
}
