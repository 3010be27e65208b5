package io.understudy.plugins.gtiddomain.tagging;

import io.understudy.base.RepeatedWarning;
import io.understudy.plugins.gtiddomain.catalog.Dictionary;
import io.understudy.plugins.gtiddomain.ownership.Orphans;

/**
 * The state that all sessions share, whatever the rules.
 *
 * @param accounts which accounts may set the variable
 * @param meters the plugin's counters
 * @param dictionary the primary's tables
 * @param orphans receives the pending writes of lost sessions
 * @param threads those of the observed sessions
 * @param unfollowed limits the lines about sessions that go on without being followed
 */
public record SharedTagging(
        Accounts accounts,
        DomainMeters meters,
        Dictionary dictionary,
        Orphans orphans,
        ObservedThreads threads,
        RepeatedWarning unfollowed) {}
