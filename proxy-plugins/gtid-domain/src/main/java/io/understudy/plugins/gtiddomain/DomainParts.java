package io.understudy.plugins.gtiddomain;

import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.ownership.BinlogGuard;
import io.understudy.plugins.gtiddomain.ownership.Handovers;
import io.understudy.plugins.gtiddomain.progress.DomainIndexes;
import io.understudy.plugins.gtiddomain.progress.StandbyProgress;
import io.understudy.plugins.gtiddomain.tagging.SharedTagging;

/**
 * The parts of the action {@code domain} that last from start to stop, whatever the rules.
 *
 * @param indexes of the domains since the start
 * @param shared what all sessions share
 * @param standbys what they have applied
 * @param handovers of tables
 * @param binlog the binary log's part in the guard
 * @param window earlier values of the counters
 */
record DomainParts(
        DomainIndexes indexes,
        SharedTagging shared,
        StandbyProgress standbys,
        Handovers handovers,
        BinlogGuard binlog,
        AdviceWindow window) {
    Dictionary dictionary() {
        return shared.dictionary();
    }
}
