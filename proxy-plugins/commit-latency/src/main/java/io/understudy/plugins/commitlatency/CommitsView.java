package io.understudy.plugins.commitlatency;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The view of {@code /api/commits}; its components are the keys of the JSON.
 *
 * @param attribution source of the parts, with its reason
 * @param semisync the primary's semi-synchronous replication at the last probe
 * @param exposure commits that could have been lost
 * @param groupCommit number of transactions that share a flush
 * @param prediction expectation from the commits of the last minutes
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

    /**
     * @param averageWaitMillis of the last interval with waits, by the server's counters; 0 without that attribution
     */
    record SemiSyncView(String state, String waitPoint, long replicas, double averageWaitMillis) {}

    /**
     * @param unacknowledged commits so far whose OK came without an acknowledgement
     * @param expected whether semi-synchronous replication was seen enabled, so that acknowledgements are missing
     * @param current the open window, or null
     * @param past closed windows, newest last
     */
    record ExposureView(
            long unacknowledged, boolean expected, Exposure.@Nullable Window current, List<Exposure.Window> past) {}

    /**
     * @param transactionsPerGroup mean over the groups seen
     * @param waitCount the server's setting: transactions for which a group waits; -1 if unknown
     * @param waitMicros the server's setting: how long a group waits at most; -1 if unknown
     * @param bySetting the same for the last few values of these settings, newest last: the effect of a change
     */
    record GroupView(
            long groups,
            double transactionsPerGroup,
            long waitCount,
            long waitMicros,
            List<GroupCommits.Under> bySetting) {}

    static CommitsView of(
            AttributionState attribution,
            SemiSyncSample sample,
            long countedMicros,
            Exposure exposure,
            GroupCommits groups,
            CommitMeters meters,
            Prediction.Figures prediction,
            CommitReport report) {
        long groupCount = groups.groups();
        return new CommitsView(
                attribution.view(),
                new SemiSyncView(
                        sample.state().label(),
                        sample.source().waitPoint(),
                        sample.source().clients(),
                        countedMicros / 1_000.0),
                new ExposureView(exposure.total(), exposure.expected(), exposure.current(), exposure.past()),
                new GroupView(
                        groupCount,
                        groupCount == 0 ? 0 : Math.round(100.0 * groups.transactions() / groupCount) / 100.0,
                        sample.groupWaitCount(),
                        sample.groupWaitMicros(),
                        groups.under()),
                prediction,
                meters.unattributed(),
                meters.gaps(),
                report.users(),
                report.schemas(),
                report.digests());
    }
}
