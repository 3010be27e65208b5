package io.understudy.replay.compare;

import io.understudy.base.Secret;
import io.understudy.config.Address;
import io.understudy.config.ServerTlsConfig;

/** A server to compare, and the account. */
public record ComparedTarget(Address address, String user, Secret password, ServerTlsConfig tls) {}
