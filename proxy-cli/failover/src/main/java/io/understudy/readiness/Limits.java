package io.understudy.readiness;

import java.time.Duration;

/**
 * The limits above which a figure is a finding.
 *
 * @param lag a larger lag blocks
 * @param noticedLag a larger lag is worth a warning
 * @param transaction age of an open transaction
 */
public record Limits(Duration lag, Duration noticedLag, Duration transaction) {}
