package io.understudy.plugins.blackbox.lost;

import io.understudy.plugin.ServerFlavor;
import io.understudy.plugins.blackbox.history.Applied.MySqlApplied;
import io.understudy.plugins.blackbox.history.KeptTransaction;
import io.understudy.plugins.blackbox.history.Loss;
import io.understudy.plugins.blackbox.history.Survivor;
import io.understudy.plugins.blackbox.kept.BlackBox;
import io.understudy.plugins.blackbox.reset.BuiltAnew.Standing;
import java.io.ByteArrayOutputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Missing transactions as a binary log file, in parts: each part is copied on request, so that memory does not hold
 * them twice. Thread-safe.
 */
public final class Rescue {
    private static final byte[] MAGIC = {(byte) 0xfe, 'b', 'i', 'n'};
    private static final int PART = 4 << 20;

    private final BlackBox box;
    private final Supplier<@Nullable String> silence;
    private final BiFunction<Survivor, Boolean, List<Object>> notKnown;
    private @Nullable Plan plan;
    private int plans;

    private static final class Plan {
        private final int number;
        private final List<KeptTransaction> transactions;
        /** Where the server is that lacks them. */
        private final String position;

        private boolean begun;
        private int next;
        private byte @Nullable [] format;

        private Plan(int number, List<KeptTransaction> transactions, String position) {
            this.number = number;
            this.position = position;
            this.transactions = transactions;
        }
    }

    /**
     * @param silence returns why the primary does not respond, although its stream is open; null if it does
     * @param notKnown returns what is not known, of a survivor, while the primary is read or not
     */
    public Rescue(
            BlackBox box, Supplier<@Nullable String> silence, BiFunction<Survivor, Boolean, List<Object>> notKnown) {
        this.box = box;
        this.silence = silence;
        this.notKnown = notKnown;
    }

    /**
     * Begins a file and ends the one begun before.
     *
     * @param recorded whether reports to come remember it
     */
    public synchronized Map<String, Object> begin(Survivor survivor, boolean recorded) {
        Loss loss = box.loss(survivor);
        boolean read = loss.streaming && silence.get() == null;
        if (!read && recorded) {
            box.reported(survivor, loss, true);
        }
        // A replay would leave out what was written since if the server has those numbers.
        Standing standing = box.standing(survivor);
        List<KeptTransaction> written =
                !standing.renumbered() ? loss.missing : standing.seenBefore() ? loss.ofBefore : List.of();
        Plan begun = new Plan(++plans, written, survivor.position());
        plan = begun;
        Map<String, Object> response = new LinkedHashMap<>();
        response.put("rescue", begun.number);
        response.put("survivor", survivor.name());
        response.put("transactions", written.size());
        response.put(
                "answered",
                written.stream().filter(each -> each.answered != null).count());
        response.put("bytes", written.stream().mapToLong(each -> each.length).sum());
        response.put("writtenSince", loss.missing.size() - written.size());
        response.put("notCaptured", loss.notCaptured.size() + loss.moreNotCaptured);
        response.put("receivedNotApplied", loss.received.size());
        response.put("unknown", loss.gaps.count());
        response.put("impliedOnly", loss.implied.count());
        response.put("survivorBeyond", loss.beyond());
        response.put(LostReport.RENUMBERED, standing.renumbered());
        response.put("hadAll", standing.hadAll());
        response.put("skipped", standing.renumbered() && standing.skipped());
        response.put("notKnown", notKnown.apply(survivor, read));
        response.put("neverRead", box.primaries().isEmpty());
        response.put("damaged", loss.damage());
        response.put("primaryRead", read);
        response.put("mysql", survivor.applied() instanceof MySqlApplied);
        return response;
    }

    /**
     * Returns the next part of the file; an empty part is its end.
     *
     * @throws IllegalArgumentException if another file was begun since, or a transaction of this one was dropped
     */
    public synchronized byte[] part(int number) {
        Plan present = plan;
        if (present == null || present.number != number) {
            throw new IllegalArgumentException("rescue " + number + " is not the most recent one; begin a new one");
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        if (!present.begun) {
            present.begun = true;
            out.writeBytes(MAGIC);
        }
        while (present.next < present.transactions.size() && out.size() < PART) {
            KeptTransaction each = present.transactions.get(present.next);
            byte[] bytes = box.bytes(each);
            if (bytes == null) {
                plan = null;
                throw new IllegalArgumentException("transaction " + each.gtid.text()
                        + " was dropped meanwhile, because every standby has applied it or room was needed;"
                        + " begin a new rescue");
            }
            boolean mariaDb = each.history.flavor() == ServerFlavor.MARIADB;
            if (present.format != each.format) {
                present.format = each.format;
                out.writeBytes(each.format);
                if (present.next == 0 && mariaDb) {
                    out.writeBytes(ReplayGuard.before(present.transactions, present.position, each.format));
                }
            }
            if (mariaDb && ReplayGuard.isSplit(bytes)) {
                out.writeBytes(ReplayGuard.beforeSplit(each.format));
            }
            out.writeBytes(bytes);
            if (mariaDb) {
                out.writeBytes(ReplayGuard.behind(each.gtid, each.format));
            }
            present.next++;
        }
        if (out.size() == 0) {
            plan = null;
        }
        return out.toByteArray();
    }
}
