/* SPDX-License-Identifier: Apache-2.0 */
/* The loaded libcupti. */
#ifndef PROBE_CUPTI_LIBRARY_H
#define PROBE_CUPTI_LIBRARY_H

#include <stdbool.h>

#include "abi/cupti.h"

#define CUPTI_FUNCTIONS(X)						\
	X(cuptiGetVersion, (uint32_t *version))				\
	X(cuptiSubscribe, (CUpti_SubscriberHandle *subscriber,		\
			   CUpti_CallbackFunc callback, void *userdata)) \
	X(cuptiUnsubscribe, (CUpti_SubscriberHandle subscriber))	\
	X(cuptiEnableCallback, (uint32_t enable,			\
				CUpti_SubscriberHandle subscriber,	\
				unsigned int domain, uint32_t cbid))	\
	X(cuptiGetCallbackName, (unsigned int domain, uint32_t cbid,	\
				 const char **name))			\
	X(cuptiFinalize, (void))

/* Functions of libcupti; all set once it is found, but for the last. */
struct cupti {
#define MEMBER(name, parameters) int (*name) parameters;
	CUPTI_FUNCTIONS(MEMBER)
#undef MEMBER
	/* From 13 on, else NULL. */
	int (*cuptiSubscribe_v2)(CUpti_SubscriberHandle *subscriber,
				 CUpti_CallbackFunc callback, void *userdata,
				 CUpti_SubscriberParams *params);
};

/*
 * Find it: the one that is mapped already, else the newest that the driver
 * may work with, where the loader looks or where wheels and toolkits put it.
 */
bool cupti_find(struct cupti *cupti);

#endif /* PROBE_CUPTI_LIBRARY_H */
