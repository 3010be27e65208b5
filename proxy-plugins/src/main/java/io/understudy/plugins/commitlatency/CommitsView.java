package io.understudy.plugins.commitlatency;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What {@code /api/commits} shows; its components are the keys of the JSON.
 *
 * @param attribution where the parts come from, and why from there
 * @param semisync the primary's semi-synchronous replication at the last look
 * @param exposure what could have been lost
 * @param groupCommit how many transactions share a flush
 * @param prediction what the last minutes tell about the next
 * @param unattributed commits whose time could not be split, by reason
 * @param binlogGaps interruptions of the dump connection, by reason
 * @param users commits by user, most time first
 * @param schemas by default schema
 * @param digests by the digest of the transaction's first writing statement
 */
record CommitsView(
        AttributionState.View attribution,
        SemiSyncView semisync,
        ExposureView exposure,
        GroupView groupCommit,
        Prediction.Figures prediction,
        Map<String, Long> unattributed,
        Map<String, Long> binlogGaps,
        List<CommitTable.Line> users,
        List<CommitTable.Line> schemas,
        List<CommitTable.Line> digests) {

    /** @param averageWaitMillis of the last interval with waits, by the server's counters; 0 without that attribution */
    record SemiSyncView(String state, String waitPoint, long replicas, double averageWaitMillis) {}

    /**
     * @param unacknowledged commits so far that were answered without an acknowledgement
     * @param current the window that is open, or null
     * @param past closed windows, newest last
     */
    record ExposureView(long unacknowledged, Exposure.@Nullable Window current, List<Exposure.Window> past) {}

    /**
     * @param transactionsPerGroup mean over the groups seen
     * @param waitCount the server's setting: transactions for which a group waits; -1 when not told
     * @param waitMicros the server's setting: how long a group waits at most; -1 when not told
     * @param bySetting the same for the last few values of these settings, newest last: what a change has brought
     */
    record GroupView(
            long groups,
            double transactionsPerGroup,
            long waitCount,
            long waitMicros,
            List<GroupCommits.Under> bySetting) {}

    static CommitsView of(
            AttributionState attribution,
            @Nullable SemiSyncSample sample,
            long countedMicros,
            Exposure exposure,
            GroupCommits groups,
            CommitMeters meters,
            CommitReport report) {
        long groupCount = groups.groups();
        return new CommitsView(
                attribution.view(),
                sample == null
                        ? new SemiSyncView(SemiSync.UNKNOWN.label(), "", 0, 0)
                        : new SemiSyncView(
                                sample.state().label(), sample.waitPoint(), sample.clients(), countedMicros / 1_000.0),
                new ExposureView(exposure.total(), exposure.current(), exposure.past()),
                new GroupView(
                        groupCount,
                        groupCount == 0 ? 0 : Math.round(100.0 * groups.transactions() / groupCount) / 100.0,
                        sample == null ? -1 : sample.groupWaitCount(),
                        sample == null ? -1 : sample.groupWaitMicros(),
                        groups.under()),
                report.prediction(),
                meters.unattributed(),
                meters.gaps(),
                report.users(),
                report.schemas(),
                report.digests());
    }
}
