package io.understudy.plugins.blackbox.kept;

import io.understudy.plugins.binlog.BinlogTransaction;
import io.understudy.plugins.binlog.TransactionBytes;
import io.understudy.plugins.blackbox.history.History;
import io.understudy.plugins.blackbox.history.KeptTransaction;
import io.understudy.plugins.blackbox.outcome.Traces;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The newest transactions that a restored log has, for traces of those of the primary's last run. */
public final class RestoredTraces {
    private final BlackBox box;
    private final History history;
    /** Newest first. */
    private final List<KeptTransaction> newest = new ArrayList<>();
    /** How many are kept behind the last place where the log lacks something. */
    private final int whole;

    /**
     * Called under the lock of the box.
     *
     * @param mostBytes of events to be read
     */
    RestoredTraces(BlackBox box, History history, int most, long mostBytes) {
        this.box = box;
        this.history = history;
        whole = history.keptSinceLack();
        long bytes = 0;
        Iterator<KeptTransaction> newestFirst = history.kept.descendingIterator();
        while (newestFirst.hasNext() && newest.size() < most && bytes < mostBytes) {
            KeptTransaction next = newestFirst.next();
            newest.add(next);
            bytes += next.length;
        }
    }

    /** Called when the log was restored, before anything is written to it. Reads files. */
    public void trace() {
        Traces traces = box.traces();
        int left = whole;
        Long since = null;
        long run = 0;
        for (KeptTransaction each : newest) {
            long created = Traces.created(each.format);
            if (run != 0 && created != run) {
                break; // what precedes is of an earlier run, which had the same connection ids
            }
            run = created;
            BinlogTransaction read = read(each);
            if (read != null) {
                traces.restored(read, each.token, each.nanos, each.history.facts.serverId() == read.serverId());
            }
            left = read == null ? 0 : left - 1;
            since = left >= 0 && read != null ? Long.valueOf(each.nanos) : since;
        }
        if (since != null) {
            traces.restoredUpTo(history.facts, history.readUpTo(), since);
        }
    }

    private @Nullable BinlogTransaction read(KeptTransaction kept) {
        byte[] events = box.bytes(kept);
        return events == null ? null : TransactionBytes.read(kept.history.flavor(), kept.format, events);
    }
}
