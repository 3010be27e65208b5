package io.understudy.plugins.mirror.warmth;

import org.jspecify.annotations.Nullable;

/**
 * The keys of the configuration about warmth.
 *
 * @param target excess, in pages a statement, that counts as warm
 * @param standbyIops page reads a second that a standby can do, or null for the highest rate seen
 * @param probes probes a second; 0 for none
 */
public record WarmthSettings(double target, @Nullable Integer standbyIops, int probes) {}
