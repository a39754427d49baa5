/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the probe uses of CUPTI's callback API.  Proven against the headers of
 * 11, 12 and 13 by tests/toolkit.
 */
#ifndef PROBE_ABI_CUPTI_H
#define PROBE_ABI_CUPTI_H

#include "abi/cuda.h"

typedef struct CUpti_Subscriber_st *CUpti_SubscriberHandle;

enum {
	CUPTI_SUCCESS = 0,
	CUPTI_ERROR_NOT_INITIALIZED = 15,
	CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39
};

enum {
	CUPTI_CB_DOMAIN_DRIVER_API = 1
};

enum {
	CUPTI_API_ENTER = 0,
	CUPTI_API_EXIT = 1
};

typedef struct {
	unsigned int callbackSite; /* CUPTI_API_ENTER, CUPTI_API_EXIT */
	const char *functionName;
	const void *functionParams; /* NAME_params of abi/calls.h */
	void *functionReturnValue; /* CUresult *; at EXIT only */
	const char *symbolName;
	CUcontext context;
	uint32_t contextUid;
	uint64_t *correlationData; /* the caller's, from ENTER to EXIT */
	uint32_t correlationId;
} CUpti_CallbackData;

typedef void (*CUpti_CallbackFunc)(void *userdata, unsigned int domain,
				   uint32_t cbid, const void *data);

enum {
	CUPTI_SUBSCRIBER_NAME_MAX_LEN = 53,
	CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN = 64
};

/* As CUPTI 13.0 knows it; later ones add to its end. */
typedef struct {
	size_t structSize;
	const char *subscriberName;
	char *oldSubscriberName; /* who holds the place */
	size_t oldSubscriberSize;
} CUpti_SubscriberParams;

#endif /* PROBE_ABI_CUPTI_H */
