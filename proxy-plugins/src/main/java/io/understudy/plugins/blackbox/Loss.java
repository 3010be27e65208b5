package io.understudy.plugins.blackbox;

import io.understudy.plugins.binlog.GtidNumbers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The transactions that a survivor lacks, by reference. */
final class Loss {
    /** Neither applied nor received, in the order of the binary log. */
    final List<KeptTransaction> missing = new ArrayList<>();
    /** Received into its relay logs, but not applied. */
    final List<KeptTransaction> received = new ArrayList<>();
    /** Answered, but their events never arrived. */
    final Map<Gtid, AnsweredCommit> notCaptured = new LinkedHashMap<>();
    /** Applied there, and no OK was seen for them. */
    final List<KeptTransaction> unanswered = new ArrayList<>();

    final List<InterruptedSession> interrupted = new ArrayList<>();
    /** Not known to be applied there, and not retained. */
    final GtidNumbers gaps = new GtidNumbers();

    long moreNotCaptured;
    /** Transactions of primaries that are too long ago. */
    long forgotten;

    String beyond = "";
    boolean streaming;

    @Nullable
    String trouble;

    long endedNanos;

    /** Returns how many transactions the survivor has not applied, as far as they are known. */
    int found() {
        return missing.size() + received.size() + notCaptured.size();
    }
}
